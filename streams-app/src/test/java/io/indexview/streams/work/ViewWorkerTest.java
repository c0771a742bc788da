package io.indexview.streams.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.Test;

class ViewWorkerTest {
  private static final Work A = new Work.DeleteTopic("a", 1, "topic-a", 5);

  private final FakeLog log = new FakeLog();
  private final AtomicBoolean released = new AtomicBoolean();
  private final AtomicReference<Job> job =
      new AtomicReference<>(told -> Look.answered(WorkResult.Done.of(A)));

  private ViewWorker start() {
    JobFactory factory =
        new JobFactory() {
          @Override
          public Job begin(Work work) {
            return job.get();
          }

          @Override
          public void keep(Collection<Work> wanted) {
            assertThat(Thread.currentThread().getName()).isEqualTo("indexview-work");
          }
        };
    WorkRounds rounds =
        new WorkRounds(
            factory,
            new ResultLog(
                "indexview.view-progress", log, new InMemorySchemaRegistry(), Clock.systemUTC()),
            Clock.systemUTC(),
            List.of());
    ViewWorker worker = new ViewWorker(rounds, () -> released.set(true));
    worker.start();
    return worker;
  }

  @Test
  void doesWhatIsWanted() {
    try (ViewWorker worker = start()) {
      worker.want(Set.of(A));

      await().untilAsserted(() -> assertThat(log.written).hasSize(1));
    }
    assertThat(released).isTrue();
  }

  @Test
  void endsAlthoughAWorkHangs() {
    CountDownLatch hanging = new CountDownLatch(1);
    job.set(
        told -> {
          try {
            hanging.countDown();
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            throw new InterruptException(e);
          }
          return Look.waiting("");
        });
    ViewWorker worker = start();
    worker.want(Set.of(A));
    await().until(() -> hanging.getCount() == 0);

    worker.close();

    await().untilTrue(released);
  }
}
