package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A bucket that changes while one task publishes it in an ad-hoc snapshot and another is told of
 * the changes, each with its own delays, over a state that is wrong: the state ends as the bucket
 * does.
 */
class AdHocListingConvergencePropertyTest {
  private static final int KEYS = 5;
  private static final int MAX_STEPS = 60;
  private static final String BUCKET = "documents";

  private record Logged(String key, ChangeEvent event) {}

  enum Step {
    PUT,
    REMOVE,
    CHANGE_ARRIVES,
    NEWEST_CHANGE_ARRIVES,
    LIST,
    LISTED_ARRIVES
  }

  @Property(tries = 500)
  void endsAsTheBucketDoes(@ForAll("histories") List<Tuple2<Step, Integer>> steps) {
    new World().endsAsTheBucketDoes(steps);
  }

  @Provide
  Arbitrary<List<Tuple2<Step, Integer>>> histories() {
    return Combinators.combine(
            Arbitraries.of(Step.class), Arbitraries.integers().between(0, KEYS - 1))
        .as(Tuple::of)
        .list()
        .ofMaxSize(MAX_STEPS);
  }

  /** One history. */
  private static final class World {
    private final ManualClock clock = new ManualClock();
    private final FakeObjectStore store = new FakeObjectStore();
    private final FakeChangeTopic topic = new FakeChangeTopic(clock);
    private final List<Logged> log = new ArrayList<>();
    private final Deque<Logged> notified = new ArrayDeque<>();
    private final Deque<SourceRecord> listed = new ArrayDeque<>();
    private final Map<String, Long> content = new TreeMap<>();
    private BucketListing listing;
    private byte sequence;

    void endsAsTheBucketDoes(List<Tuple2<Step, Integer>> steps) {
      for (int key = 0; key < KEYS; key++) {
        // Sequence 0 is older than every change.
        log.add(new Logged(name(key), notified(Op.CREATE, (byte) 0, 1_000 + key)));
      }
      store.put(BUCKET, "x", 1);
      store.remove(BUCKET, "x");
      topic.setEnds(Map.of(0, (long) log.size()));
      listing = listing();
      steps.forEach(step -> take(step.get1(), name(step.get2())));
      while (listing.completed().isEmpty()) {
        list();
        listed.forEach(this::arrive);
        listed.clear();
      }
      Scan scan = listing.completed().orElseThrow();
      log.addAll(notified);

      assertThat(materialize(scan)).isEqualTo(content);
    }

    private BucketListing listing() {
      return new BucketListing(
          BUCKET,
          ListingMode.adHoc(2, 1),
          new Position(Map.of(), Map.of()),
          store,
          new ObjectReads(store, Runnable::run, () -> {}),
          topic,
          Optional.empty(),
          new FileEvents(
              "files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), Set.of(), "s3", clock),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10)),
          clock);
    }

    private static String name(int key) {
      return "key-" + key;
    }

    private void take(Step step, String key) {
      switch (step) {
        case PUT -> {
          sequence++;
          content.put(key, (long) sequence);
          store.put(BUCKET, key, sequence);
          notified.add(new Logged(key, notified(Op.CREATE, sequence, sequence)));
        }
        case REMOVE -> {
          if (content.remove(key) != null) {
            sequence++;
            store.remove(BUCKET, key);
            notified.add(new Logged(key, notified(Op.DELETE, sequence, 0)));
          }
        }
        case CHANGE_ARRIVES -> {
          if (!notified.isEmpty()) {
            log.add(notified.removeFirst());
          }
        }
        case NEWEST_CHANGE_ARRIVES -> {
          if (!notified.isEmpty()) {
            log.add(notified.removeLast());
          }
        }
        case LIST -> list();
        case LISTED_ARRIVES -> {
          if (!listed.isEmpty()) {
            arrive(listed.removeFirst());
          }
        }
      }
    }

    private void list() {
      topic.setEnds(Map.of(0, (long) log.size()));
      listed.addAll(listing.next());
    }

    private static ChangeEvent notified(Op op, byte sequence, int content) {
      return new ChangeEvent(
          op,
          1,
          new Origin.Versioned(new SourceVersion(FileEvents.EPOCH, new byte[] {sequence})),
          op == Op.DELETE ? null : value(content));
    }

    /** What the object holds stands in the place of a schema's id. */
    private static FramedValue value(long content) {
      return new FramedValue((int) content, new byte[0], 0, 0);
    }

    private void arrive(SourceRecord record) {
      Struct file = ((Struct) record.value()).getStruct("after");
      Origin origin = new Origin.SnapshotRead(FileEvents.EPOCH, null, Known.NOTHING_KNOWN, true);
      ChangeEvent event =
          file == null
              ? new ChangeEvent(Op.DELETE, 1, origin, null)
              : new ChangeEvent(Op.READ, 1, origin, value(file.getInt64("size")));
      log.add(new Logged(record.key().toString().substring(BUCKET.length() + 1), event));
      ((TrackedRecord) record)
          .acknowledged(
              new RecordMetadata(new TopicPartition("files", 0), log.size() - 1L, 0, 0, 0, 0));
    }

    /** Leaves a tombstone, or a late event would bring back what is gone. */
    private static Entry purged(Entry entry, Scan scan) {
      return entry.offset() >= scan.begins().get(0)
          ? entry
          : new Entry(
              entry.version(),
              true,
              entry.left(),
              entry.revision() + 1,
              entry.offset(),
              entry.timestampMs(),
              null);
    }

    /** Past the end of the scan, what was last touched before its begin is gone. */
    private Map<String, Long> materialize(Scan scan) {
      OrderGuard guard = new OrderGuard(Duration.ofDays(15));
      Map<String, Entry> entries = new HashMap<>();
      for (int offset = 0; offset <= log.size(); offset++) {
        if (offset == scan.ends().get(0)) {
          entries.replaceAll((key, entry) -> purged(entry, scan));
        }
        if (offset < log.size()) {
          Logged logged = log.get(offset);
          Decision decision =
              guard.decide(entries.get(logged.key()), logged.event(), offset, offset);
          if (decision.next() != null) {
            entries.put(logged.key(), decision.next());
          }
        }
      }
      Map<String, Long> alive = new TreeMap<>();
      entries.forEach(
          (key, entry) -> {
            if (!entry.deleted()) {
              alive.put(key, (long) entry.value().schemaId());
            }
          });
      return alive;
    }
  }
}
