package io.indexview.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.cli.api.CommandException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"a/b/c.txt, c.txt", "c.txt, c.txt", "../../etc/hosts, hosts"})
  void isNamedByTheEndOfTheObjectKey(String objectKey, String name) {
    assertThat(Destination.of(null, objectKey, true)).hasToString(name);
  }

  /** Object keys are data: they must not say where in the file system something is written. */
  @ParameterizedTest
  @ValueSource(strings = {"a/", "..", "a/..", "", "a/.", "a\0b"})
  void refusesKeysThatNameNoFile(String objectKey) {
    assertThatThrownBy(() -> Destination.of(null, objectKey, true))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining("--to");
  }

  @Test
  void replacesAFileOnlyIfAskedTo() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "old");

    assertThatThrownBy(() -> Destination.of(file, "key", false))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining("--force");
    assertThatThrownBy(() -> Destination.of(directory, "key", true))
        .isInstanceOf(CommandException.Usage.class);
    Destination.of(file, "key", true)
        .take(new ByteArrayInputStream("new".getBytes(StandardCharsets.UTF_8)));
    assertThat(file).hasContent("new");
  }

  @Test
  void leavesNothingBehindWhenAFetchBreaksOff() throws IOException {
    Path file = directory.resolve("file");
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("connection reset");
          }
        };

    assertThatThrownBy(() -> Destination.of(file, "key", false).take(broken))
        .hasMessageContaining("connection reset");
    try (var files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }
}
