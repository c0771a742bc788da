package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTreeTest {
  @TempDir private Path root;

  private void file(String path) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, path);
  }

  @Test
  void givesEachSubdirectoryAUserOfItsOwn() throws IOException {
    file("a/one file+1.txt");
    file("a/deep/two.txt");
    file("b/three.txt");

    assertThat(FileTree.of(root))
        .extracting(FileTree.Upload::objectKey)
        .containsExactlyInAnyOrder(
            "USER001_a/one file+1.txt", "USER001_a/deep/two.txt", "USER002_b/three.txt")
        .allMatch(key -> key.matches(FileTree.KEY_PATTERN));
  }

  @Test
  void leavesBuildOutputAndHiddenDirectoriesOut() throws IOException {
    file("src/kept.txt");
    file("target/left.txt");
    file(".git/left.txt");

    assertThat(FileTree.of(root)).singleElement().matches(u -> u.file().endsWith("kept.txt"));
  }

  @Test
  void refusesADirectoryWithoutFiles() {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> FileTree.of(root))
        .withMessageContaining("--files " + root);
  }

  @Test
  void refusesADirectoryThatIsNotThere() {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> FileTree.of(root.resolve("nowhere")))
        .withMessageContaining("nowhere");
  }
}
