package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  @TempDir Path temp;

  @Test
  void isCreatedAndKeptWhenNamed() {
    Path named = temp.resolve("a/b");
    try (DataDirectory directory = DataDirectory.open(Optional.of(named))) {
      assertThat(directory.of("kafka")).isDirectory();
    }
    assertThat(named.resolve("kafka")).isDirectory();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void isItsUsersAlone() throws IOException {
    Path named = temp.resolve("c/d");
    try (DataDirectory directory = DataDirectory.open(Optional.of(named))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.root())))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void isRemovedWithItsContentWhenTemporary() throws IOException {
    Path root;
    try (DataDirectory directory = DataDirectory.open(Optional.empty())) {
      root = directory.root();
      Files.writeString(directory.of("kafka").resolve("log"), "x");
    }
    assertThat(root).doesNotExist();
  }

  @Test
  void isRefusedWhenAnotherStackOfTheProcessUsesIt() {
    try (DataDirectory directory = DataDirectory.open(Optional.of(temp))) {
      assertThatThrownBy(() -> DataDirectory.open(Optional.of(directory.root())))
          .isInstanceOf(StackException.class)
          .hasMessageContaining(temp.toString())
          .hasMessageContaining("another stack of this process");
    }
    DataDirectory.open(Optional.of(temp)).close();
  }

  @Test
  void isRefusedWithThePidWhenAnotherProcessUsesIt() throws Exception {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                temp.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(other.getInputStream().read()).isEqualTo('r');

      assertThatThrownBy(() -> DataDirectory.open(Optional.of(temp)))
          .isInstanceOf(StackException.class)
          .hasMessageContaining("process " + other.pid());
    } finally {
      other.getOutputStream().close();
      assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    DataDirectory.open(Optional.of(temp)).close();
  }

  @Test
  void isRefusedWhenItsPathIsAFile() throws IOException {
    File file = Files.createFile(temp.resolve("file")).toFile();

    assertThatThrownBy(() -> DataDirectory.open(Optional.of(file.toPath())))
        .isInstanceOf(StackException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("choose another directory");
  }

  /** Another process with a stack: holds a directory until its standard input ends. */
  static final class Holder {
    public static void main(String[] args) throws IOException {
      DataDirectory directory = DataDirectory.open(Optional.of(Path.of(args[0])));
      try (java.io.PrintStream ready =
          new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out))) {
        ready.print('r');
        ready.flush();
        if (System.in.read() < 0) {
          directory.close();
        }
      }
    }
  }
}
