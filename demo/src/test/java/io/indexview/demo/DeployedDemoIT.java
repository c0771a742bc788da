package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code indexview demo --stack} on a stack that runs, its KV store reached over HTTP by all. */
@Timeout(900)
@ExhaustiveTier
class DeployedDemoIT {
  private static final String STANDING = "airports-by-code";

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void runsTheMainJobWhereEverythingIsDeployed() throws Exception {
    StackConfig config =
        StackConfig.builder().serveKvStore().build().withDataDirectory(directory.resolve("data"));
    try (LocalStack stack = LocalStack.start(config)) {
      assertThat(stack.kvStoreUri()).startsWith("remote://127.0.0.1:");
      Path file = describe(stack);

      assertThat(demo(file)).isEqualTo(StackRunner.FAILED);
      assertThat(err.toString())
          .contains("The stack has not: ")
          .contains(Pipeline.CONNECTORS)
          .contains("record set airports", "record set people", "record set files");

      deployWithOneView(stack);
      assertThat(demo(file)).as("%s%n%s", out, err).isZero();
      assertThat(out.toString())
          .doesNotContain("  view " + STANDING + System.lineSeparator())
          .containsSubsequence(
              "  view file-metadata",
              "Round 1: what changed",
              "0 missing, 0 dangling",
              "Round 2: what changed",
              "0 missing, 0 dangling",
              "Airports of Bolivia",
              "Files of the bucket, largest first");
    }
  }

  private void deployWithOneView(LocalStack stack) throws IOException {
    Path views = Files.createDirectory(directory.resolve("views"));
    String file = STANDING + ".yaml";
    Files.writeString(views.resolve(file), DemoPlan.view(file));
    PipelineSpec spec = DemoPlan.shipped(Path.of("")).pipeline(views);
    Pipeline.deploy(stack, spec, AppLauncher.inProcess(), line -> {});
  }

  private Path describe(LocalStack stack) throws IOException {
    return Files.write(
        directory.resolve("stack.properties"),
        List.of(
            "bootstrap.servers=" + stack.bootstrapServers(),
            "schema.registry.url=" + stack.registryUrl(),
            "connect.url=" + stack.connect().url(),
            "kvstore.uri=" + stack.kvStoreUri(),
            "s3.endpoint=" + stack.s3Url(),
            "sqs.endpoint=" + stack.sqsUrl(),
            "sqs.queue.url=" + stack.queueUrl(),
            "dynamodb.endpoint=" + stack.dynamoDbUrl(),
            "aws.region=" + StackConfig.REGION,
            "aws.access.key.id=" + StackConfig.ACCESS_KEY,
            "aws.secret.access.key=" + StackConfig.SECRET_KEY));
  }

  private int demo(Path stack) {
    String files = Path.of("..", "schemas", "src").toAbsolutePath().toString();
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute("demo", "--stack", stack.toString(), "--files", files);
  }
}
