package io.indexview.client.verify;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import java.util.List;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** The rows of one view generation in the KV store. */
public final class KvRows implements TargetRows {
  private final KvStore store;
  private final KvLayout layout;

  public KvRows(KvStore store, ViewGeneration generation) {
    this.store = store;
    this.layout = KvLayout.of(generation);
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value) {
    KvPath path = layout.path(key::get);
    return row(path, layout.row(path, layout.value(key::get, value::get, 0)));
  }

  @Override
  public void forEach(Consumer<Row> rows) {
    KvScan scan = KvScan.under(new KvKey(layout.parent(), List.of()));
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      while (records.hasNext()) {
        KvRecord record = records.next();
        KvPath path = new KvPath(record.key().major(), record.key().minor());
        for (StoredRow stored : layout.rows(path, record.value())) {
          if (!stored.deleted()) {
            rows.accept(row(path, stored));
          }
        }
      }
    }
  }

  private Row row(KvPath path, StoredRow stored) {
    String key = new KvKey(path.major(), path.minor()).toString();
    return new Row(layout.isList() ? key + " " + stored.primaryKey() : key, stored.values());
  }
}
