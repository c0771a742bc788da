package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process whose state stores have no native library: it ends, and says what helps. */
class NativeLibraryIT {
  @TempDir private Path directory;

  @Test
  void endsTheProcessAndNamesTheRemedy() throws IOException, InterruptedException {
    Path config = directory.resolve("app.properties");
    Files.write(
        config,
        List.of(
            "bootstrap.servers=127.0.0.1:1",
            "schema.registry.url=mock://native-library",
            "record.sets=people",
            "http.port=0",
            "state.dir=" + directory.resolve("state")));
    Path output = directory.resolve("output");
    ProcessBuilder command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                IndexViewApp.class.getName(),
                "--config",
                config.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    command.environment().put("ROCKSDB_SHAREDLIB_DIR", directory.resolve("none").toString());
    Process process = command.start();
    try {
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(() -> read(output)).isTrue();
      assertThat(process.exitValue()).isEqualTo(1);
      assertThat(read(output)).contains("native library cannot be loaded", "ROCKSDB_SHAREDLIB_DIR");
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
