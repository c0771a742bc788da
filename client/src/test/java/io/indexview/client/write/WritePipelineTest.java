package io.indexview.client.write;

import static io.indexview.client.write.People.key;
import static io.indexview.client.write.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.write.FakeBroker.Arrived;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.change.Origin;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WritePipelineTest {
  private static final int KEYS = 10;
  private static final int WRITES = 300;

  @TempDir private Path directory;
  private final FakeBroker broker = new FakeBroker();
  private final FakeBroker.Client client = broker.client();
  private KvStore store;
  private Writer writer;

  @BeforeEach
  void open() {
    store = People.open(directory);
    writer =
        new Writer(
            store,
            People.config(WRITES),
            People.CODEC,
            client.producer(),
            broker.registry,
            Clock.systemUTC());
  }

  @AfterEach
  void close() {
    writer.close();
    store.close();
  }

  @Test
  void keepsTheOrderOfEachKeyInTheStoreAndInKafka() {
    List<CompletableFuture<Optional<Written>>> writes = new ArrayList<>();
    try (WritePipeline pipeline = new WritePipeline(writer, 4, 20)) {
      for (int i = 0; i < WRITES; i++) {
        String name = "key-" + i % KEYS;
        writes.add(pipeline.submit(new WriteOperation.Put(key(name), person(name, i))));
      }
    }
    writer.flush();

    assertThat(writes).allMatch(write -> write.join().isPresent());
    for (int k = 0; k < KEYS; k++) {
      String key = key("key-" + k).toString();
      byte[] last = People.CODEC.encode(person("key-" + k, WRITES - KEYS + k));
      assertThat(store.get(key("key-" + k)).orElseThrow().value()).isEqualTo(last);
      List<String> sequences =
          broker.log().stream()
              .filter(arrived -> arrived.key().equals(key))
              .map(WritePipelineTest::sequence)
              .toList();
      assertThat(sequences).hasSize(WRITES / KEYS).isSorted();
    }
  }

  private static String sequence(Arrived arrived) {
    Origin.Versioned versioned = (Origin.Versioned) arrived.event().origin();
    return HexFormat.of().formatHex(versioned.version().sequence());
  }

  @Test
  void failsAWriteWithWhatTheWriterThrows() {
    try (WritePipeline pipeline = new WritePipeline(writer, 1, 1)) {
      CompletableFuture<Optional<Written>> refused =
          pipeline.submit(new WriteOperation.Delete(io.indexview.kvstore.KvKey.ofMajor("other")));
      assertThatThrownBy(refused::join).hasCauseInstanceOf(IllegalArgumentException.class);
      CompletableFuture<List<Optional<Written>>> both =
          pipeline.submit(
              List.of(
                  new WriteOperation.Put(key("ada"), person("Ada", 1)),
                  new WriteOperation.Put(key("ada").child("x"), person("Ada", 2))));
      assertThat(both.join()).hasSize(2).allMatch(Optional::isPresent);
    }
  }

  /** Who waits for one would wait for ever. */
  @Test
  void failsWhatIsNotDoneWhenItStopsWaiting() {
    CountDownLatch never = new CountDownLatch(1);
    WritePipeline pipeline = new WritePipeline(writer, 1, 3, Duration.ZERO);
    CompletableFuture<Optional<Written>> stuck =
        pipeline.submit(
            key("ada"),
            () -> {
              boolean interrupted = false;
              while (never.getCount() > 0) {
                try {
                  never.await();
                } catch (InterruptedException e) {
                  interrupted = true;
                }
              }
              if (interrupted) {
                Thread.currentThread().interrupt();
              }
              return Optional.empty();
            });
    CompletableFuture<Optional<Written>> queued =
        pipeline.submit(new WriteOperation.Put(key("ada"), person("Ada", 1)));
    pipeline.close();

    assertThat(stuck).isCompletedExceptionally();
    assertThat(queued).isCompletedExceptionally();
    assertThatThrownBy(queued::join).hasMessageContaining("closed");
    never.countDown();
  }

  @Test
  void closedPipelineRefusesWrites() {
    WritePipeline pipeline = new WritePipeline(writer, 1, 1);
    pipeline.close();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> pipeline.submit(new WriteOperation.Delete(key("ada"))))
          .isInstanceOf(RejectedExecutionException.class);
    }
  }
}
