package io.indexview.verification;

import io.indexview.client.admin.KnownViews;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.TargetReader.Meter;
import io.indexview.verification.TargetReader.Orphaned;
import io.indexview.views.definition.Target;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the KV store holds under the prefixes of a view, and is of none. Of each index name one
 * record is read, and none of a name that a generation has; what lies beside the index names is
 * told record by record.
 */
final class OrphanedRecords {
  private static final int BATCH = 100;

  private final KvStore store;
  private final KnownViews known;
  private final Predicate<Orphaned> visitor;
  private final Meter meter;
  private boolean goesOn = true;

  /**
   * @param visitor whether to go on
   */
  OrphanedRecords(KvStore store, KnownViews known, Predicate<Orphaned> visitor, Meter meter) {
    this.store = store;
    this.known = known;
    this.visitor = visitor;
    this.meter = meter;
  }

  void of(Target.Kv target) {
    findBeside(KvKey.ofMajor(target.prefix()));
    findRows(target.prefix());
    findMetadata(target.metaPrefix());
  }

  /** Each record, as nothing else lies below it. Ranges leave them out. */
  private void findBeside(KvKey parent) {
    try (KvIterator<KvRecord> records =
        store.iterator(
            KvSelection.of(parent), KvDirection.FORWARD, KvConsistency.ABSOLUTE, BATCH)) {
      while (goesOn && records.hasNext()) {
        KvRecord record = records.next();
        consumed(record);
        tell(Kind.ORPHANED_ROWS, record.key(), "it is under no index name");
      }
    }
  }

  private void findRows(String prefix) {
    KvKey parent = KvKey.ofMajor(prefix);
    Deque<KvRange> ranges = new ArrayDeque<>();
    String start = null;
    List<KvKey> names = known.indexNames(prefix).stream().map(KvKey::ofMajor).sorted().toList();
    for (KvKey name : names) {
      between(start, name.major().get(0)).ifPresent(ranges::add);
      start = name.major().get(0);
    }
    between(start, null).ifPresent(ranges::add);
    while (goesOn && !ranges.isEmpty()) {
      KvRange range = ranges.remove();
      Optional<KvRecord> one =
          first(store.storeIterator(KvScan.under(parent).withRange(range).withBatchSize(1)));
      if (one.isPresent()) {
        String name = one.get().key().major().get(1);
        tell(Kind.ORPHANED_ROWS, KvKey.ofMajor(prefix, name), "no generation has this index name");
        between(range.start(), name).ifPresent(ranges::add);
        between(name, range.end()).ifPresent(ranges::add);
      }
    }
  }

  /**
   * The range without both bounds; empty if the store's order and Java's differ, so that there is
   * no such range.
   */
  private static Optional<KvRange> between(String start, String end) {
    boolean isOne =
        start == null
            || end == null
            || (start.compareTo(end) < 0 && KvKey.ofMajor(start).compareTo(KvKey.ofMajor(end)) < 0);
    return isOne
        ? Optional.of(new KvRange(start, start == null, end, false, false))
        : Optional.empty();
  }

  private Optional<KvRecord> first(KvIterator<KvRecord> opened) {
    try (KvIterator<KvRecord> records = opened) {
      if (!records.hasNext()) {
        meter.consumed(0, 0);
        return Optional.empty();
      }
      KvRecord record = records.next();
      consumed(record);
      return Optional.of(record);
    }
  }

  private void consumed(KvRecord record) {
    meter.consumed((long) record.key().serializedLength() + record.value().length, 0);
  }

  private void findMetadata(String prefix) {
    try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(KvKey.ofMajor(prefix)))) {
      while (goesOn && records.hasNext()) {
        KvRecord record = records.next();
        consumed(record);
        if (KvLayout.isMetadataGuard(KvRows.path(record.key()), record.value())) {
          continue;
        }
        String text = new String(record.value(), StandardCharsets.UTF_8);
        ViewMetadata.viewIn(text)
            .map(view -> known.disowns(view, text))
            .orElse(Optional.of("it is no metadata of a view"))
            .ifPresent(reason -> tell(Kind.ORPHANED_METADATA, record.key(), reason));
      }
    }
  }

  private void tell(Kind kind, KvKey key, String reason) {
    goesOn = visitor.test(new Orphaned(kind, key.toString(), reason));
  }
}
