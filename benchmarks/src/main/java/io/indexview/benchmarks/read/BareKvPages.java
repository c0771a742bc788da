package io.indexview.benchmarks.read;

import io.indexview.benchmarks.data.People;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.util.ArrayList;
import java.util.List;

/** A range read of the KV store: keys and bytes as they lie there. */
final class BareKvPages implements PageSource<List<KvRecord>> {
  private final KvStore store;
  private final KvLayout layout;
  private final KvKey parent;
  private final BareRecords records;

  BareKvPages(KvStore store, ViewGeneration generation, BareRecords records) {
    this.store = store;
    this.layout = KvLayout.of(generation);
    KvPath prefix = layout.prefix(List.of(true));
    this.parent = new KvKey(prefix.major(), prefix.minor());
    this.records = records;
  }

  @Override
  public List<KvRecord> read(int person, int rows) {
    KvRange range = KvRange.from(layout.component(1, People.id(person)), true);
    List<KvRecord> page = new ArrayList<>(rows);
    try (KvIterator<KvRecord> found =
        store.iterator(
            KvSelection.below(parent, range),
            KvDirection.FORWARD,
            KvConsistency.ABSOLUTE,
            rows + 1)) {
      while (page.size() < rows && found.hasNext()) {
        page.add(found.next());
      }
    }
    records.fetch(() -> primaryKeys(page));
    return page;
  }

  @Override
  public List<String> primaryKeys(List<KvRecord> page) {
    return page.stream()
        .map(
            record ->
                layout.row(new KvPath(record.key().major(), record.key().minor()), record.value()))
        .map(row -> row.primaryKey())
        .toList();
  }
}
