package io.indexview.client.verify;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.util.List;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * The rows of one view generation in the KV store. The id of a row is the key of its record, and
 * where records list several rows the primary key behind a space.
 */
public final class KvRows implements TargetReader {
  private final KvStore store;
  private final KvLayout layout;

  public KvRows(KvStore store, ViewGeneration generation) {
    this.store = store;
    this.layout = KvLayout.of(generation);
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long revision) {
    KvPath path = layout.path(key::get);
    return row(key(path), layout.row(path, layout.value(key::get, value::get, revision)));
  }

  @Override
  public String id(GenericRecord key) {
    return id(key(layout.path(key::get)), String.valueOf(key.get(ViewFields.PRIMARY_KEY)));
  }

  @Override
  public void scan(Visitor visitor) {
    KvScan scan = KvScan.under(new KvKey(layout.parent(), List.of()));
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      while (records.hasNext()) {
        visit(records.next(), visitor);
      }
    }
  }

  private void visit(KvRecord record, Visitor visitor) {
    List<StoredRow> rows;
    try {
      rows = rows(record);
    } catch (LayoutException e) {
      visitor.foreign(record.key().toString(), e.getMessage());
      return;
    }
    for (StoredRow row : rows) {
      if (row.deleted()) {
        visitor.tombstone(id(record.key(), row.primaryKey()));
      } else {
        visitor.row(row(record.key(), row));
      }
    }
  }

  @Override
  public Optional<Row> read(String id) {
    // A key's text escapes spaces.
    int space = id.indexOf(' ');
    KvKey key = KvKey.fromString(space < 0 ? id : id.substring(0, space));
    try {
      return store.get(key).stream()
          .flatMap(record -> rows(record).stream())
          .filter(row -> !row.deleted())
          .map(row -> row(key, row))
          .filter(row -> row.id().equals(id))
          .findFirst();
    } catch (LayoutException e) {
      // Something else lies in the row's place.
      return Optional.empty();
    }
  }

  private List<StoredRow> rows(KvRecord record) {
    return layout.rows(new KvPath(record.key().major(), record.key().minor()), record.value());
  }

  private static KvKey key(KvPath path) {
    return new KvKey(path.major(), path.minor());
  }

  private Row row(KvKey key, StoredRow stored) {
    return new Row(
        id(key, stored.primaryKey()),
        stored.primaryKey(),
        stored.key(),
        stored.values(),
        stored.revision());
  }

  private String id(KvKey key, String primaryKey) {
    return layout.isList() ? key + " " + primaryKey : key.toString();
  }
}
