package io.indexview.client.verify;

import io.indexview.client.verify.TargetReader.Meter;
import io.indexview.client.verify.TargetReader.Unowned;
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
import io.indexview.views.definition.Target;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What the KV store holds under the prefixes of a view, and is of none. Of each index name one
 * record is read, and none of a name that a generation has.
 */
final class UnownedRecords {
  private final KvStore store;
  private final KnownViews known;
  private final int most;
  private final Meter meter;
  private final List<Unowned> found = new ArrayList<>();

  /**
   * @param most how many to find
   */
  UnownedRecords(KvStore store, KnownViews known, int most, Meter meter) {
    this.store = store;
    this.known = known;
    this.most = most;
    this.meter = meter;
  }

  List<Unowned> of(Target.Kv target) {
    addRows(target.prefix());
    addMetadata(target.metaPrefix());
    return found;
  }

  private void addRows(String prefix) {
    KvKey parent = KvKey.ofMajor(prefix);
    // Ranges leave out what lies directly below the parent.
    first(store.iterator(KvSelection.of(parent), KvDirection.FORWARD, KvConsistency.ABSOLUTE, 1))
        .ifPresent(record -> add(Kind.UNOWNED_ROWS, parent, "it is under no index name"));
    Deque<KvRange> ranges = new ArrayDeque<>();
    String start = null;
    List<KvKey> names = known.indexNames(prefix).stream().map(KvKey::ofMajor).sorted().toList();
    for (KvKey name : names) {
      between(start, name.major().get(0)).ifPresent(ranges::add);
      start = name.major().get(0);
    }
    between(start, null).ifPresent(ranges::add);
    while (!ranges.isEmpty() && found.size() < most) {
      KvRange range = ranges.remove();
      Optional<KvRecord> one =
          first(store.storeIterator(KvScan.under(parent).withRange(range).withBatchSize(1)));
      if (one.isPresent()) {
        String name = one.get().key().major().get(1);
        add(Kind.UNOWNED_ROWS, KvKey.ofMajor(prefix, name), "no generation has this index name");
        between(range.start(), name).ifPresent(ranges::add);
        between(name, range.end()).ifPresent(ranges::add);
      }
    }
  }

  /**
   * Without both bounds; empty: the store's order and Java's differ, and it takes no such range.
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

  private void addMetadata(String prefix) {
    try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(KvKey.ofMajor(prefix)))) {
      while (records.hasNext() && found.size() < most) {
        KvRecord record = records.next();
        consumed(record);
        Optional<String> view =
            ViewMetadata.viewIn(new String(record.value(), StandardCharsets.UTF_8));
        if (view.filter(known.names()::contains).isEmpty()) {
          add(
              Kind.UNOWNED_METADATA,
              record.key(),
              view.map("there is no view \"%s\""::formatted).orElse("it is no metadata of a view"));
        }
      }
    }
  }

  private void add(Kind kind, KvKey key, String reason) {
    found.add(new Unowned(kind, key.toString(), reason));
  }
}
