package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.streams.app.StreamsRun.StateReset;
import io.indexview.streams.error.StopSignal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangelogRestoreTest {
  private static final int ASKING = 3;
  private static final int GENERATIONS = 100;

  @TempDir private Path directory;
  private final AtomicInteger restored = new AtomicInteger();

  private static PublishedGeneration generation(int number) {
    return generation("by-org", number, 0);
  }

  private static PublishedGeneration generation(String view, int number, long createdAtMs) {
    return new PublishedGeneration(
        view,
        number,
        "{}",
        "people",
        "changes",
        "rows",
        "",
        new PublishedGeneration.SchemaIds(1, 2, 3),
        1,
        createdAtMs,
        new BuildRequest(0, BuildMode.CHANGELOG),
        false);
  }

  private boolean restore() {
    restored.incrementAndGet();
    return true;
  }

  private Path file() {
    return directory.resolve("restored");
  }

  @Test
  void restoresOnceForAllThatWaitAndRemembersIt() {
    CountDownLatch closing = new CountDownLatch(1);
    ChangelogRestore restore =
        new ChangelogRestore(
            file(),
            () -> {
              await().until(() -> closing.getCount() == 0);
              return restore();
            });
    for (int i = 0; i < 3; i++) {
      assertThat(restore.waitsFor(generation(7))).isNotEmpty();
    }
    closing.countDown();
    await().untilAsserted(() -> assertThat(restore.waitsFor(generation(7))).isEmpty());

    assertThat(restored).hasValue(1);
    ChangelogRestore next = new ChangelogRestore(file(), this::restore);
    assertThat(next.waitsFor(generation(7))).isEmpty();
    assertThat(next.waitsFor(generation(8))).isNotEmpty();
    await().untilAsserted(() -> assertThat(next.waitsFor(generation(8))).isEmpty());
    assertThat(restored).hasValue(2);
  }

  /** The tasks of all threads ask again and again, also in the moment when it ends. */
  @Test
  void restoresOnceForThreadsThatAskWhileItEnds() throws Exception {
    ChangelogRestore restore = new ChangelogRestore(file(), this::restore);
    ExecutorService threads = Executors.newFixedThreadPool(ASKING);
    try {
      for (int number = 1; number <= GENERATIONS; number++) {
        PublishedGeneration generation = generation(number);
        Callable<Void> asking =
            () -> {
              while (!restore.waitsFor(generation).isEmpty()) {
                Thread.onSpinWait();
              }
              return null;
            };
        for (Future<Void> one : threads.invokeAll(Collections.nCopies(ASKING, asking))) {
          one.get();
        }
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(restored).hasValue(GENERATIONS);
  }

  @Test
  void doesNotCompareTheClocksOfThoseWhoPublish() {
    ChangelogRestore restore = new ChangelogRestore(file(), this::restore);
    await()
        .untilAsserted(
            () -> assertThat(restore.waitsFor(generation("by-org", 2, 9_000))).isEmpty());

    assertThat(restore.waitsFor(generation("by-age", 1, 5_000))).isNotEmpty();
    assertThat(restore.waitsFor(generation("by-org", 1, 8_000))).isEmpty();
    await()
        .untilAsserted(
            () -> assertThat(restore.waitsFor(generation("by-age", 1, 5_000))).isEmpty());
    assertThat(restore.waitsFor(generation("by-org", 3, 1_000))).isNotEmpty();
    await()
        .untilAsserted(
            () -> assertThat(restore.waitsFor(generation("by-org", 3, 1_000))).isEmpty());
  }

  @Test
  void triesAgainAfterAFailure() {
    ChangelogRestore restore =
        new ChangelogRestore(
            file(),
            () -> {
              if (restored.incrementAndGet() == 1) {
                throw new IllegalStateException("it did not stop");
              }
              return true;
            });

    await().untilAsserted(() -> assertThat(restore.waitsFor(generation(7))).isEmpty());
    assertThat(restored).hasValue(2);
  }

  @Test
  void saysOnceThatItFailsAndThatItWorksAgain() {
    ChangelogRestore restore =
        new ChangelogRestore(
            file(),
            () -> {
              if (restored.incrementAndGet() < 4) {
                throw new IllegalStateException("it did not stop");
              }
              return true;
            });

    try (LogLines log = LogLines.of(ChangelogRestore.class)) {
      await().untilAsserted(() -> assertThat(restore.waitsFor(generation(7))).isEmpty());
      assertThat(log.get())
          .containsExactly(
              "The state could not be restored from its changelogs, which is tried again until it works: it did not stop",
              "The state is being restored from its changelogs");
    }
    assertThat(restored).hasValue(4);
  }

  /** The next start would build from the state that was to be thrown away. */
  @Test
  void doesNotRememberARestoreThatTheCloseOfTheApplicationCutsShort() {
    StopSignal stop = new StopSignal();
    StateReset.Run closing =
        new StateReset.Run() {
          @Override
          public boolean close() {
            stop.stop();
            return restore();
          }

          @Override
          public void cleanUp() {
            throw new IllegalStateException("the application closes");
          }

          @Override
          public void startNext() {
            throw new IllegalStateException("the application closes");
          }
        };
    ChangelogRestore restore =
        new ChangelogRestore(file(), () -> StateReset.restart(closing, stop));

    // The second one begins when the first is over.
    await().until(() -> restore.waitsFor(generation(7)).isEmpty() || restored.get() > 1);

    assertThat(new ChangelogRestore(file(), () -> false).waitsFor(generation(7))).isNotEmpty();
  }

  @Test
  void restoresOnceMoreWhenItsFileIsDamaged() throws Exception {
    Files.writeString(file(), "x");

    ChangelogRestore restore = new ChangelogRestore(file(), this::restore);
    assertThat(restore.waitsFor(generation(7))).isNotEmpty();
    await().untilAsserted(() -> assertThat(restore.waitsFor(generation(7))).isEmpty());
  }
}
