package io.indexview.client.verify.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewVerification.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
  private static final String ID = "20260102T030405-00ff";
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  @TempDir private Path parent;

  private Checkpoints checkpoints(RunDirectory directory) {
    return new Checkpoints(directory.path(), Duration.ZERO, true);
  }

  private void checkpoint(RunDirectory directory) {
    checkpoint(directory, new Findings());
  }

  private void checkpoint(RunDirectory directory, Findings found) {
    checkpoints(directory)
        .write(
            new Checkpoints.Checkpoint(
                Map.of(0, 5L, 1, 7L),
                "b",
                null,
                new DigestJoin.Extent(List.of(3L), List.of(1)),
                found.ofScan()));
  }

  @Test
  void goesToTheNextRunOfTheSameGenerationWhenNobodyHasIt() {
    RunDirectory first = RunDirectory.take(parent, ID, 1);
    try (RunDirectory beside = RunDirectory.take(parent, ID, 1)) {
      assertThat(beside.path()).isNotEqualTo(first.path());
    }
    checkpoint(first);
    assertThat(RunDirectory.isLeft(parent, ID)).isFalse();
    first.close();

    assertThat(RunDirectory.isLeft(parent, ID)).isTrue();
    assertThat(RunDirectory.isLeft(parent, "20260102T030405-00fe")).isFalse();
    try (RunDirectory other = RunDirectory.take(parent, ID, 2)) {
      assertThat(other.path()).isNotEqualTo(first.path());
    }
  }

  @Test
  void isGoneWithAllThatIsInItWhenItIsForgotten() throws IOException {
    RunDirectory left = RunDirectory.take(parent, ID, 1);
    checkpoint(left);
    Files.write(Files.createDirectory(left.path().resolve("all")).resolve("rows-0"), new byte[9]);
    Files.createDirectory(parent.resolve("somebody-elses"));
    old(left.path());
    old(parent.resolve("somebody-elses"));

    RunDirectory.removeForgotten(parent, NOW);
    assertThat(left.path()).exists();
    left.close();
    RunDirectory.removeForgotten(parent, NOW);

    try (Stream<Path> all = Files.list(parent)) {
      assertThat(all).containsExactly(parent.resolve("somebody-elses"));
    }
  }

  private static void old(Path path) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(NOW.minus(Duration.ofHours(25))));
  }

  @Test
  void isNotGoneOnWithWhereFilesAreNotAsTheyWere() throws IOException {
    RunDirectory directory = RunDirectory.take(parent, ID, 1);
    checkpoint(directory);
    Path rows = Files.createDirectory(directory.path().resolve("all"));
    Files.write(rows.resolve("rows-1"), new byte[2]);

    assertThat(checkpoints(directory).read(rows, true)).isEmpty();
    Files.write(rows.resolve("rows-1"), new byte[4]);
    // It has been removed, so that nobody believes it once the files are longer.
    assertThat(checkpoints(directory).read(rows, true)).isEmpty();
    checkpoint(directory);
    assertThat(checkpoints(directory).read(rows, true))
        .hasValueSatisfying(
            last -> {
              assertThat(last.end()).isEqualTo(Map.of(0, 5L, 1, 7L));
              assertThat(last.position()).isEqualTo("b");
              assertThat(last.isTopicRead()).isFalse();
            });
    Files.writeString(directory.path().resolve("checkpoint"), "{\"end\":");
    assertThat(checkpoints(directory).read(rows, true)).isEmpty();
    directory.remove();
  }

  @Test
  void isNotGoneOnWithWhereWhatIsForeignIsToBeRemoved() throws IOException {
    RunDirectory directory = RunDirectory.take(parent, ID, 1);
    Path rows = Files.createDirectory(directory.path().resolve("all"));
    Files.write(rows.resolve("rows-1"), new byte[4]);
    checkpoint(directory);
    assertThat(checkpoints(directory).read(rows, false)).isPresent();

    Findings found = new Findings();
    found.foreign("a", Kind.UNVERSIONED, "it has no revision");
    checkpoint(directory, found);
    assertThat(checkpoints(directory).read(rows, true)).isPresent();
    assertThat(checkpoints(directory).read(rows, false)).isEmpty();
    directory.remove();
  }
}
