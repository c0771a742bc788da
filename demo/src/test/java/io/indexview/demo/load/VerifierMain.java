package io.indexview.demo.load;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.demo.ChildJvm;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.DynamoDbSettings;
import io.indexview.dynamodb.ItemStore;
import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.verification.DynamoDbRows;
import io.indexview.verification.live.VerificationLog;
import io.indexview.verification.live.VerificationWorker;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A process that verifies views in DynamoDB until its standard input ends. */
final class VerifierMain {
  private VerifierMain() {}

  /**
   * Starts one.
   *
   * @param rows directory of the worker
   */
  static Process start(LocalStack stack, Path rows) throws IOException {
    return ChildJvm.of(
            "256m",
            List.of(),
            VerifierMain.class,
            stack.bootstrapServers(),
            stack.registryUrl().toString(),
            stack.dynamoDbUrl().toString(),
            stack.config().topics().prefix(),
            rows.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  public static void main(String[] args) throws Exception {
    Map<String, Object> kafka = Map.of("bootstrap.servers", args[0]);
    Topics topics = new Topics(args[3]);
    try (SchemaRegistry registry = SchemaRegistries.create(Map.of("schema.registry.url", args[1]));
        ViewAdmin admin = ViewAdmin.connect(kafka, topics, registry, Clock.systemUTC());
        VerificationLog log = VerificationLog.connect(kafka, topics, registry);
        ItemStore items =
            DynamoDbItemStore.open(
                new DynamoDbSettings(
                    StackConfig.REGION,
                    URI.create(args[2]),
                    StackConfig.ACCESS_KEY,
                    StackConfig.SECRET_KEY,
                    16));
        VerificationWorker worker =
            VerificationWorker.start(
                log,
                kafka,
                new VerificationWorker.Settings(Path.of(args[4]), 1 << 20),
                admin,
                generation -> Optional.of(new DynamoDbRows(items, generation)))) {
      Objects.requireNonNull(worker, "worker");
      while (System.in.read() >= 0) {
        // Nobody asks for anything.
      }
    }
  }
}
