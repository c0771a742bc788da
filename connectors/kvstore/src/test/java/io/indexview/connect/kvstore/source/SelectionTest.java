package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan passes over: other minor keys, rows of tables. */
class SelectionTest {
  private static final KvKey ADA = KvKey.ofMajor("Corporate", "people", "1");

  @TempDir private Path directory;

  private static KvRecordSet withMinors(String... minors) {
    Set<List<String>> paths = Set.of(List.of(minors));
    return new KvRecordSet(
        "people",
        new KvKeySet(People.RECORD_SET.prefix(), paths),
        People.TOPIC,
        People.RECORD_SET.values());
  }

  private static List<String> changes(List<SourceRecord> events) {
    return events.stream()
        .map(event -> ((Struct) event.value()).getString("op") + " " + event.key())
        .toList();
  }

  @Test
  void publishesChosenMinorKeysOnly() {
    try (SourceHarness harness = new SourceHarness(directory, withMinors("contact"))) {
      harness.store.put(ADA, People.bytes("none"));
      harness.store.put(ADA.child("contact"), People.bytes("Ada"));
      harness.store.put(ADA.child("contact").child("home"), People.bytes("Ada"));
      harness.store.put(ADA.child("keys"), new byte[] {1, 2, 3});

      assertThat(changes(harness.scan())).containsExactly("r /Corporate/people/1/-/contact");
      assertThat(harness.lastScan().getInt64("records")).isEqualTo(1);
      assertThat(harness.lastScan().getStruct("scope").getArray("minors"))
          .isEqualTo(List.of("/-/contact"));

      harness.store.delete(ADA.child("keys"));
      harness.store.delete(ADA.child("contact"));
      assertThat(changes(harness.scan())).containsExactly("d /Corporate/people/1/-/contact");
    }
  }

  @Test
  void passesOverRowsOfTables() {
    try (SourceHarness harness = new SourceHarness(directory)) {
      harness.put(1, "Ada");
      harness.put(2, "a row");
      harness.tableRows.add(People.key(2));

      assertThat(People.ops(harness.scan())).containsExactly("r 1");
      assertThat(harness.lastScan().getInt64("records")).isEqualTo(1);
      assertThat(harness.progress.counts()).isEqualTo(new ScanProgress.Counts(1, 1, 0));
      assertThat(harness.progress.scans()).isEqualTo(1);
      assertThat(harness.progress.lastScanAge()).isLessThan(10);

      harness.restart();
      assertThat(harness.progress.lastScanAge()).isLessThan(10);
    }
  }

  @Test
  void countsWhatGoesToTheDeadLetters() {
    try (SourceHarness harness = new SourceHarness(directory)) {
      harness.put(1, "Ada");
      harness.store.put(People.key(2), People.UNREADABLE);
      harness.scan();
      assertThat(harness.progress.undecodableRecords()).isEqualTo(1);
      assertThat(harness.progress.events()).isEqualTo(3);

      harness.scan();
      assertThat(harness.progress.undecodableRecords()).isEqualTo(1);
      assertThat(harness.progress.scans()).isEqualTo(2);
    }
  }

  @Test
  void takesARecordThatBecameARowOfATableForGone() {
    try (SourceHarness harness = new SourceHarness(directory)) {
      harness.put(1, "Ada");
      harness.scan();
      harness.tableRows.add(People.key(1));

      assertThat(People.ops(harness.scan())).containsExactly("d 1");
      assertThat(harness.alive()).isEmpty();

      harness.tableRows.clear();
      assertThat(People.ops(harness.scan())).containsExactly("c 1");
    }
  }
}
