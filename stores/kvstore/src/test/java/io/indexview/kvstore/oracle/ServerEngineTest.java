package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sleepycat.je.Environment;
import io.indexview.kvstore.KvStoreException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerEngineTest {
  @TempDir private Path directory;

  @Test
  void saysWhichJarIsMissingAndWhereItIsFound() {
    assertThatExceptionOfType(KvStoreException.ChangesUnsupported.class)
        .isThrownBy(() -> ServerEngine.load(directory))
        .withMessageContaining("kvstore.jar in " + directory)
        .withMessageContaining("kvstore.server.jars");
  }

  @Test
  void saysWhatAJarOfAnotherReleaseLacks() throws IOException, URISyntaxException {
    Path older =
        Path.of(Environment.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Files.copy(older, directory.resolve("kvstore.jar"));

    assertThatExceptionOfType(KvStoreException.ChangesUnsupported.class)
        .isThrownBy(() -> ServerEngine.load(directory))
        .withMessageContaining("kvstore.jar: it lacks com.sleepycat.je.rep.");
  }
}
