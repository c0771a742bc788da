package io.indexview.connect.kvstore.source.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceIndexTest {
  @TempDir private Path directory;

  @Test
  void refusesADirectoryUntilWhoHasItClosesIt() {
    Path sameByAnotherName = directory.resolve("..").resolve(directory.getFileName());
    try (SourceIndex first = SourceIndex.open(directory)) {
      assertThatThrownBy(() -> SourceIndex.open(sameByAnotherName))
          .isInstanceOf(IndexInUseException.class)
          .hasMessageContaining("in use by another process or task");
      assertThat(first.state()).isEmpty();
    }
    try (SourceIndex second = SourceIndex.open(sameByAnotherName)) {
      assertThat(second.state()).isEmpty();
    }
  }

  @Test
  void opensADirectoryThatCouldNotBeOpenedBefore() throws IOException {
    Path settings = Files.writeString(directory.resolve("je.properties"), "je.nonsense=1");
    assertThatThrownBy(() -> SourceIndex.open(directory))
        .isInstanceOf(IllegalArgumentException.class);
    Files.delete(settings);

    try (SourceIndex index = SourceIndex.open(directory)) {
      assertThat(index.state()).isEmpty();
    }
  }
}
