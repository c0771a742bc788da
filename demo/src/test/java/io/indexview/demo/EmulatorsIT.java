package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.aws.AwsAccess;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import io.indexview.local.StackConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sqs.SqsClient;

/** {@code indexview emulators} as a process of its own, and its users in others. */
class EmulatorsIT {
  private static final Pattern PART = Pattern.compile(" +(\\w+) +\\w+://([\\w.]+):(\\d+)");

  /** Reaches what listens on all addresses, and nothing that listens on 127.0.0.1 alone. */
  private static final String ELSEWHERE = "127.0.0.2";

  private static final KvKey KEY = KvKey.ofMajor("a", "record");
  private static final byte[] VALUE = {1, 2, 3};

  @TempDir private Path data;

  private final List<String> said = new ArrayList<>();
  private final Map<String, String> ports = new HashMap<>();
  private Process process;

  @AfterEach
  void kill() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  void serveOtherProcessesAndKeepTheirDataWhenAskedToEnd() throws Exception {
    start("--bind", "0.0.0.0", "--host", "emulators.example.com");
    String queue =
        "http://emulators.example.com:%s/000000000000/%s"
            .formatted(ports.get("sqs"), StackConfig.DEFAULT_QUEUE);
    try (KvStore store = openStore();
        S3Client s3 = openS3();
        SqsClient sqs = openSqs()) {
      store.put(KEY, VALUE);
      s3.putObject(
          request -> request.bucket(StackConfig.DEFAULT_BUCKET).key("one"),
          RequestBody.fromString("hello"));

      assertThat(
              sqs.getQueueUrl(request -> request.queueName(StackConfig.DEFAULT_QUEUE)).queueUrl())
          .isEqualTo(queue);
      assertThat(messages(sqs, queue)).hasSize(1).allMatch(body -> body.contains("\"one\""));
    }
    assertThat(health()).isEqualTo(200);

    endInOrder();
    Map<String, String> before = Map.copyOf(ports);
    start("--bind", "0.0.0.0", "--host", "emulators.example.com");

    assertThat(ports).isEqualTo(before);
    try (KvStore store = openStore();
        S3Client s3 = openS3()) {
      assertThat(store.get(KEY)).get().extracting(record -> record.value()).isEqualTo(VALUE);
      assertThat(
              s3.getObjectAsBytes(request -> request.bucket(StackConfig.DEFAULT_BUCKET).key("one"))
                  .asUtf8String())
          .isEqualTo("hello");
    }
    endInOrder();
  }

  private void start(String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("emulators", "--data", data.toString()));
    arguments.addAll(List.of(options));
    process =
        ChildJvm.of("256m", List.of(), Main.class, arguments.toArray(String[]::new))
            .redirectErrorStream(true)
            .start();
    BufferedReader output = process.inputReader();
    String line = output.readLine();
    while (line != null && !line.equals("Running until Ctrl-C")) {
      said.add(line);
      Matcher part = PART.matcher(line);
      if (part.matches()) {
        assertThat(part.group(2)).isEqualTo("emulators.example.com");
        ports.put(part.group(1), part.group(3));
      }
      line = output.readLine();
    }
    assertThat(line).as(String.join("\n", said)).isNotNull();
    assertThat(ports).containsOnlyKeys("sqs", "s3", "kvstore");
  }

  private void endInOrder() throws InterruptedException {
    // Not destroy() of the process itself, which would close its output here.
    process.toHandle().destroy();
    process.inputReader().lines().forEach(said::add);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(String.join("\n", said)).isZero();
    assertThat(said).contains("  sqs stopped", "  s3 stopped", "  kvstore stopped");
  }

  private static List<String> messages(SqsClient sqs, String queue) {
    return sqs
        .receiveMessage(request -> request.queueUrl(queue).waitTimeSeconds(10))
        .messages()
        .stream()
        .map(message -> message.body())
        .toList();
  }

  private int health() throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(endpoint("kvstore").resolve("/health")).build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private URI endpoint(String part) {
    return URI.create("http://" + ELSEWHERE + ":" + ports.get(part));
  }

  private KvStore openStore() {
    return KvStores.open("remote://" + ELSEWHERE + ":" + ports.get("kvstore"));
  }

  private S3Client openS3() {
    return access("s3").configure(S3Client.builder()).forcePathStyle(true).build();
  }

  private SqsClient openSqs() {
    return access("sqs").configure(SqsClient.builder()).build();
  }

  private AwsAccess access(String part) {
    return new AwsAccess(
        StackConfig.REGION, endpoint(part), StackConfig.ACCESS_KEY, StackConfig.SECRET_KEY, null);
  }
}
