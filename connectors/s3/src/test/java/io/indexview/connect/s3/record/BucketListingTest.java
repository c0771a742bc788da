package io.indexview.connect.s3.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.Look;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.queue.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class BucketListingTest {
  private final ManualClock clock = new ManualClock();
  private final FakeObjectStore store = new FakeObjectStore();
  private final BucketListing listing =
      new BucketListing(
          "documents",
          Map.of("bucket", "documents"),
          store,
          new FileEvents(
              "files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), Set.of(), "s3", clock),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10)),
          clock);

  private List<SourceRecord> all() {
    List<SourceRecord> all = new ArrayList<>();
    for (List<SourceRecord> page = listing.next(); !page.isEmpty(); page = listing.next()) {
      all.addAll(page);
    }
    return all;
  }

  private static void acknowledge(SourceRecord record, RecordMetadata metadata) {
    ((TrackedRecord) record).acknowledged(metadata);
  }

  private static RecordMetadata at(long offset) {
    return new RecordMetadata(new TopicPartition("files", 0), offset, 0, 0, 0, 0);
  }

  @Test
  void beginsAnewWhenARecordDidNotReachKafka() {
    for (String key : List.of("a_1", "b_2", "c_3")) {
      store.put("documents", key, 5);
    }
    List<SourceRecord> records = all();
    acknowledge(records.get(0), at(0));
    acknowledge(records.get(1), null);
    acknowledge(records.get(2), at(1));

    assertThat(listing.completed()).isEmpty();
    assertThat(all()).isEmpty();
    clock.pass(Duration.ofMinutes(1));
    long again = clock.millis();
    List<SourceRecord> repeated = all();
    assertThat(repeated)
        .extracting(SourceRecord::key)
        .containsExactly("documents/a_1", "documents/b_2", "documents/c_3");
    for (int i = 0; i < repeated.size(); i++) {
      assertThat(listing.completed()).isEmpty();
      acknowledge(repeated.get(i), at(2 + i));
    }

    Look look = listing.completed().orElseThrow();
    assertThat(look.records()).isEqualTo(3);
    assertThat(look.startedAt()).isEqualTo(again);
    assertThat(look.ends()).isEqualTo(Map.of(0, 5L));
  }
}
