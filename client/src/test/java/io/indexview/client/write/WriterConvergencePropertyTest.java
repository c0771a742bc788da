package io.indexview.client.write;

import static io.indexview.client.write.People.key;
import static io.indexview.client.write.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Two writers whose events are late, lost or published twice, writes that nobody publishes, and a
 * source that scans meanwhile: when writes stop and the source has looked again, the topic
 * materializes to what the store holds. Store, writer and order guard are the real ones.
 */
class WriterConvergencePropertyTest {
  private static final int KEYS = 3;
  private static final int MAX_STEPS = 60;

  private static Path directory;
  private static KvStore store;
  private static int worlds;

  enum Step {
    PUT,
    PUT_BY_OTHER,
    PUT_IF_VERSION,
    PUT_IF_ABSENT,
    DELETE,
    DELETE_BY_OTHER,
    DELETE_IF_VERSION,
    EXECUTE,
    PUT_AND_TELL_NOBODY,
    DELETE_AND_TELL_NOBODY,
    ARRIVE,
    ARRIVE_FROM_OTHER,
    ARRIVE_TWICE,
    ARRIVE_UNACKNOWLEDGED,
    LOSE,
    SCAN_BEGINS,
    INDEX_READS,
    SCAN,
    SEND,
    OBSERVATION_ARRIVES
  }

  @BeforeContainer
  static void open() throws IOException {
    directory = Files.createTempDirectory("writer-convergence");
    store = People.open(directory);
  }

  @AfterContainer
  static void close() throws IOException {
    store.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 150)
  void materializesToTheStoreOnceTheSourceHasLookedAgain(
      @ForAll("histories") List<Tuple2<Step, Integer>> steps) {
    new World().materializesToTheStore(steps);
  }

  @Provide
  Arbitrary<List<Tuple2<Step, Integer>>> histories() {
    return Combinators.combine(
            Arbitraries.of(Step.class), Arbitraries.integers().between(0, KEYS - 1))
        .as(Tuple::of)
        .list()
        .ofMaxSize(MAX_STEPS);
  }

  /** One history; keys of its own, so that it does not matter what was written before. */
  private static final class World {
    private final FakeBroker broker = new FakeBroker();
    private final FakeBroker.Client one = broker.client();
    private final FakeBroker.Client other = broker.client();
    private final StoreScanner scanner = new StoreScanner(store, broker);
    private final Map<KvKey, KvVersion> remembered = new HashMap<>();
    private final KvKey parent = key("path-" + worlds++);
    private final List<KvKey> keys =
        IntStream.range(0, KEYS).mapToObj(i -> parent.child("" + i)).toList();
    private long writes;

    void materializesToTheStore(List<Tuple2<Step, Integer>> steps) {
      try (Writer first = writer(one);
          Writer second = writer(other)) {
        steps.forEach(step -> take(step.get1(), keys.get(step.get2()), first, second));
        first.flush();
        second.flush();
      }
      scanner.scan(keys);
      scanner.scan(keys);

      Map<String, Entry> materialized = StoreScanner.materialize(broker.log());
      for (KvKey key : keys) {
        Entry entry = materialized.get(key.toString());
        Optional<KvRecord> record = store.get(key);
        if (record.isEmpty()) {
          assertThat(entry == null || entry.deleted()).as("%s is gone", key).isTrue();
        } else {
          assertThat(entry.deleted()).isFalse();
          assertThat(bytes(entry.value())).isEqualTo(record.get().value());
          KvVersion version = record.get().version();
          assertThat(entry.version())
              .isEqualTo(
                  new SourceVersion(version.epoch(StoreScanner.INCARNATION), version.vlsnBytes()));
        }
      }
    }

    private Writer writer(FakeBroker.Client client) {
      return new Writer(
          store,
          People.config(10 * MAX_STEPS),
          People.CODEC,
          client.producer(),
          broker.registry,
          Clock.systemUTC());
    }

    private static byte[] bytes(FramedValue value) {
      return Arrays.copyOfRange(value.buffer(), value.offset(), value.offset() + value.length());
    }

    private void take(Step step, KvKey key, Writer first, Writer second) {
      var person = person("p", ++writes);
      KvVersion known = remembered.getOrDefault(key, new KvVersion("none", 1));
      switch (step) {
        case PUT -> remembered.put(key, first.put(key, person).version());
        case PUT_BY_OTHER -> second.put(key, person);
        case PUT_IF_VERSION ->
            first
                .putIfVersion(key, person, known)
                .ifPresent(written -> remembered.put(key, written.version()));
        case PUT_IF_ABSENT -> first.putIfAbsent(key, person);
        case DELETE -> first.delete(key);
        case DELETE_BY_OTHER -> second.delete(key);
        case DELETE_IF_VERSION -> first.deleteIfVersion(key, known);
        case EXECUTE ->
            first.execute(
                List.of(
                    new WriteOperation.Put(keys.get(0), person),
                    new WriteOperation.Delete(keys.get(1))));
        case PUT_AND_TELL_NOBODY -> store.put(key, People.CODEC.encode(person));
        case DELETE_AND_TELL_NOBODY -> store.delete(key);
        case SCAN_BEGINS -> scanner.begin();
        case INDEX_READS -> scanner.readTopic();
        case SCAN -> scanner.scan(key);
        case SEND -> scanner.send(key);
        case OBSERVATION_ARRIVES -> scanner.arrive();
        default -> deliver(step);
      }
    }

    private void deliver(Step step) {
      FakeBroker.Client client = step == Step.ARRIVE_FROM_OTHER ? other : one;
      if (client.underWay() == 0) {
        return;
      }
      switch (step) {
        case ARRIVE_TWICE -> client.arriveTwice();
        case ARRIVE_UNACKNOWLEDGED -> client.arriveUnacknowledged();
        case LOSE -> client.lose();
        default -> client.arrive();
      }
    }
  }
}
