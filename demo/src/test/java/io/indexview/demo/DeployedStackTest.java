package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeployedStackTest {
  private static final List<String> WHOLE =
      List.of(
          "bootstrap.servers=kafka:9092",
          "schema.registry.url=http://registry:8081",
          "connect.url=http://connect:8083",
          "kvstore.uri=remote://emulators:7700",
          "s3.endpoint=http://emulators:9000",
          "sqs.endpoint=http://emulators:9324",
          "sqs.queue.url=http://emulators:9324/000000000000/indexview-file-events",
          "dynamodb.endpoint=http://dynamodb:8000",
          "aws.region=us-east-1",
          "aws.access.key.id=local",
          "aws.secret.access.key=local-secret");

  @TempDir private Path directory;

  @Test
  void isReadFromAFile() throws IOException {
    DeployedStack stack = DeployedStack.read(file(WHOLE));

    assertThat(stack.bootstrapServers()).isEqualTo("kafka:9092");
    assertThat(stack.connect().url()).isEqualTo(URI.create("http://connect:8083"));
    assertThat(stack.kvStoreUri()).isEqualTo("remote://emulators:7700");
    assertThat(stack.s3().endpoint()).isEqualTo(URI.create("http://emulators:9000"));
    assertThat(stack.sqs().endpoint()).isEqualTo(URI.create("http://emulators:9324"));
    assertThat(stack.dynamoDb().endpoint()).isEqualTo(URI.create("http://dynamodb:8000"));
    assertThat(stack.dynamoDb().accessKeyId()).isEqualTo("local");
    assertThat(stack.bucket()).isEqualTo("indexview-files");
    assertThat(stack.topics().changes("files")).isEqualTo("indexview.changes.files");
  }

  @Test
  void isRefusedWithEverythingThatIsWrong() throws IOException {
    Path file =
        file(
            List.of(
                "bootstrap.servers=kafka:9092",
                "connect.url=connect",
                "kvstore.url=remote://emulators:7700"));

    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> DeployedStack.read(file))
        .withMessageContainingAll(
            file.toString(),
            "schema.registry.url is missing",
            "kvstore.uri is missing",
            "kvstore.url is no key",
            "connect.url=connect is no address");
  }

  @Test
  void isRefusedWhenItsFileIsNotThere() {
    Path none = directory.resolve("none.properties");

    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> DeployedStack.read(none))
        .withMessageContaining(none.toString());
  }

  private Path file(List<String> lines) throws IOException {
    return Files.write(directory.resolve("stack.properties"), lines);
  }
}
