package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
  private static final String ID = "20260102T030405-00ff";
  private static final String WORKER = "worker-1";
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  @TempDir private Path parent;

  private static ViewVerification verification(String id, Status status, String worker) {
    Run run = new Run(worker, 1, 2, 0, 1, 0, "", Counts.NONE, List.of(), List.of(), List.of());
    return new ViewVerification("by-org", id, status, VerificationOptions.DEFAULT, 1, run);
  }

  /** One that is not over. */
  private static ViewVerification of(String worker) {
    return verification(ID, Status.RUNNING, worker);
  }

  private RunDirectory take(int generation) {
    return RunDirectory.take(parent, of(WORKER), generation, WORKER);
  }

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
    RunDirectory first = take(1);
    try (RunDirectory beside = take(1)) {
      assertThat(beside.path()).isNotEqualTo(first.path());
    }
    checkpoint(first);
    assertThat(RunDirectory.isLeft(parent, of(WORKER))).isFalse();
    first.close();

    assertThat(RunDirectory.isLeft(parent, of(WORKER))).isTrue();
    assertThat(
            RunDirectory.isLeft(
                parent, verification("20260102T030405-00fe", Status.RUNNING, WORKER)))
        .isFalse();
    try (RunDirectory other = take(2)) {
      assertThat(other.path()).isNotEqualTo(first.path());
    }
  }

  @Test
  void isGoneWithAllThatIsInItWhenItIsForgotten() throws IOException {
    RunDirectory left = take(1);
    checkpoint(left);
    Files.write(Files.createDirectory(left.path().resolve("all")).resolve("rows-0"), new byte[9]);
    Files.createDirectory(parent.resolve("somebody-elses"));
    old(left.path());
    old(parent.resolve("somebody-elses"));

    RunDirectory.removeLeft(parent, List.of(), NOW);
    assertThat(left.path()).exists();
    left.close();
    RunDirectory.removeLeft(parent, List.of(), NOW);

    try (Stream<Path> all = Files.list(parent)) {
      assertThat(all).containsExactly(parent.resolve("somebody-elses"));
    }
  }

  /** Its verification was taken over by another worker, on another disk, and is done. */
  @Test
  void isGoneWhenItsVerificationIsOver() {
    RunDirectory left = take(1);
    checkpoint(left);

    RunDirectory.removeLeft(parent, List.of(verification(ID, Status.DONE, "worker-2")), NOW);
    assertThat(left.path()).exists();
    left.close();
    RunDirectory.removeLeft(parent, List.of(of("worker-2")), NOW);
    assertThat(left.path()).exists();
    RunDirectory.removeLeft(parent, List.of(verification(ID, Status.DONE, "worker-2")), NOW);

    assertThat(left.path()).doesNotExist();
  }

  /** A server that comes back takes nothing from the one that has begun it anew. */
  @Test
  void isNotGoneOnWithWhenAnotherWorkerHasTheVerification() {
    RunDirectory left = take(1);
    checkpoint(left);
    left.close();

    assertThat(RunDirectory.isLeft(parent, of("worker-2"))).isFalse();
    assertThat(RunDirectory.isLeft(parent, of(WORKER))).isTrue();
    try (RunDirectory anew = RunDirectory.take(parent, of("worker-2"), 1, "worker-3")) {
      assertThat(Checkpoints.isIn(anew.path())).isFalse();
      assertThat(left.path()).doesNotExist();
    }
  }

  @Test
  void isGoneOnWithByTheNextWorkerAfterTheLastOne() {
    RunDirectory left = take(1);
    checkpoint(left);
    left.close();

    try (RunDirectory next = RunDirectory.take(parent, of(WORKER), 1, "worker-2")) {
      assertThat(next.path()).isEqualTo(left.path());
    }
    assertThat(RunDirectory.isLeft(parent, of(WORKER))).isFalse();
    assertThat(RunDirectory.isLeft(parent, of("worker-2"))).isTrue();
  }

  /** Another worker of this process looks at it. */
  @Test
  void staysLockedForOtherProcessesWhenOthersInThisOneWantIt() throws Exception {
    try (RunDirectory first = take(1);
        RunDirectory second = take(1)) {
      checkpoint(first);
      assertThat(RunDirectory.isLeft(parent, of(WORKER))).isFalse();
      assertThat(second.path()).isNotEqualTo(first.path());

      assertThat(isLockedForOthers(first)).isTrue();
      assertThat(isLockedForOthers(second)).isTrue();
    }
    RunDirectory left = take(1);
    left.close();
    assertThat(isLockedForOthers(left)).isFalse();
  }

  private static boolean isLockedForOthers(RunDirectory directory) throws Exception {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LockProbe.class.getName(),
                directory.path().resolve("lock").toString())
            .inheritIO()
            .start();
    int code = other.waitFor();
    assertThat(code).isIn(LockProbe.FREE, LockProbe.LOCKED);
    return code == LockProbe.LOCKED;
  }

  /** A process that tries to lock a file. */
  static final class LockProbe {
    static final int FREE = 10;
    static final int LOCKED = 11;

    private LockProbe() {}

    public static void main(String[] args) throws IOException {
      boolean isFree;
      try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
        isFree = file.tryLock() != null;
      }
      System.exit(isFree ? FREE : LOCKED);
    }
  }

  private static void old(Path path) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(NOW.minus(Duration.ofHours(25))));
  }

  /** Another process has made it, and will lock it in a moment. */
  @Test
  void isLeftAloneWhileItIsBeingMade() throws IOException {
    Path made = Files.createTempDirectory(parent, ID + "-1-");

    try (RunDirectory other = take(1)) {
      assertThat(other.path()).isNotEqualTo(made);
      RunDirectory.removeLeft(parent, List.of(verification(ID, Status.DONE, WORKER)), NOW);
    }
    assertThat(made).isEmptyDirectory();
    old(made);
    RunDirectory.removeLeft(parent, List.of(), NOW);
    assertThat(made).doesNotExist();
  }

  @Test
  void isTakenByOneOfManyThatComeAndGo() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> runs =
          Collections.nCopies(
              4,
              () -> {
                for (int i = 0; i < 200; i++) {
                  RunDirectory taken = take(1);
                  RunDirectory.removeLeft(
                      parent, List.of(verification(ID, Status.DONE, WORKER)), NOW);
                  assertThat(taken.path().resolve("lock")).exists();
                  if (i % 2 == 0) {
                    taken.remove();
                  } else {
                    taken.close();
                  }
                }
                return null;
              });
      for (Future<Void> run : threads.invokeAll(runs)) {
        run.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  /** As on NFS, where something in it was open. */
  @Test
  void isRemovedLaterIfItCouldNotBeRemovedAtOnce() throws IOException {
    Path aside = Files.createDirectory(parent.resolve(ID + "-1-17.removed"));
    Files.writeString(aside.resolve("worker"), WORKER);
    Files.writeString(aside.resolve("checkpoint"), "{}");

    assertThat(RunDirectory.isLeft(parent, of(WORKER))).isFalse();
    RunDirectory taken = take(1);
    assertThat(taken.path()).isNotEqualTo(aside);
    taken.remove();
    assertThat(parent).isDirectoryContaining(aside::equals);
    RunDirectory.removeLeft(parent, List.of(), NOW);

    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void isNotGoneOnWithWhereFilesAreNotAsTheyWere() throws IOException {
    RunDirectory directory = take(1);
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
  void isNotGoneOnWithWhereWhatIsUnexpectedIsToBeRemoved() throws IOException {
    RunDirectory directory = take(1);
    Path rows = Files.createDirectory(directory.path().resolve("all"));
    Files.write(rows.resolve("rows-1"), new byte[4]);
    checkpoint(directory);
    assertThat(checkpoints(directory).read(rows, false)).isPresent();

    Findings found = new Findings();
    found.unexpected("a", Kind.UNVERSIONED, "it has no revision");
    checkpoint(directory, found);
    assertThat(checkpoints(directory).read(rows, true)).isPresent();
    assertThat(checkpoints(directory).read(rows, false)).isEmpty();
    directory.remove();
  }
}
