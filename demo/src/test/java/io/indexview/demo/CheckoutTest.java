package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** bin/indexview of a checkout, with programs that stand in for Maven and Java. */
class CheckoutTest {
  private static final String BUILDING = "Building Indexview";

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"indexview", "data", "target", ".indexview", "src/main/indexview"})
  void buildsWhatChangedWhereverItLies(String name) throws Exception {
    Path home = directory.toRealPath().resolve(name);
    Path source = write(home.resolve("views/src/main/java/View.java"), "");
    write(home.resolve("demo/target/indexview-demo-1.jar"), "");
    for (String script : new String[] {"indexview", "java.sh", "build.sh"}) {
      Path copy =
          write(home.resolve("bin").resolve(script), Files.readString(Path.of("../bin", script)));
      changed(copy, -60);
    }
    changed(source, -60);
    write(home.resolve("demo/target/classpath.txt"), home + "/local/target/local.jar");
    assertThat(run(home)).doesNotContain(BUILDING);

    changed(source, 60);
    assertThat(run(home)).contains(BUILDING);
  }

  private static void changed(Path file, int seconds) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(seconds)));
  }

  private static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private Path program(String name) throws IOException {
    Path program = write(directory.resolve("programs/bin").resolve(name), "#!/bin/sh\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program;
  }

  private String run(Path home) throws IOException, InterruptedException {
    Path java = program("java");
    write(java.resolveSibling("../release"), "JAVA_VERSION=\"17.0.1\"\n");
    Path programs = program("mvn").getParent();
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder("bash", home.resolve("bin/indexview").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", programs.getParent().toString());
    builder.environment().merge("PATH", programs.toString(), (path, ours) -> ours + ":" + path);
    int exitCode = builder.start().waitFor();
    String said = Files.readString(output);
    assertThat(exitCode).as(said).isZero();
    return said;
  }
}
