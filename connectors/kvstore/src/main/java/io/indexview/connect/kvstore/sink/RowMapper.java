package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.common.row.RowVersion;
import io.indexview.connect.common.row.StructFields;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import io.indexview.connect.kvstore.config.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** View records as writes of rows, by the layout that their topic carries. For one thread. */
final class RowMapper {
  private final GenerationCache<KvLayout> layouts = new GenerationCache<>(KvLayout::of);
  private final WriteMode mode;

  RowMapper(WriteMode mode) {
    this.mode = mode;
  }

  /**
   * The write of a record.
   *
   * @throws DataException if the record is no view row, or of a view whose rows cannot be written
   *     in this mode
   * @throws io.indexview.views.layout.LayoutException if the row has no place in the store
   * @throws io.indexview.kvstore.KvStoreException.Refused if its key is too long
   * @throws IllegalArgumentException if a field is no value of its type
   */
  RowWrite map(SinkRecord record) {
    KvLayout layout = layouts.of(record);
    boolean isFenced = isFenced(layout);
    requireRevisions(isFenced, layout);
    RowVersion version = RowVersion.of(record);
    Struct key = struct(record.key(), "key");
    KvPath path = layout.path(key::get);
    byte[] value = null;
    if (record.value() != null) {
      value =
          layout.value(
              key::get, StructFields.of(struct(record.value(), "value")), version.revision());
    } else if (isFenced) {
      value = layout.deletionMarker(key::get, version.revision());
    }
    String element = layout.isList() ? key.getString(ViewFields.PRIMARY_KEY) : null;
    KvKey rowKey = new KvKey(path.major(), path.minor());
    return new RowWrite(record, rowKey, element, value, layout, isFenced);
  }

  /** Whether deleted rows of a layout leave markers. */
  boolean leavesMarkers(KvLayout layout) {
    return layout.holdsRevisions() && isFenced(layout);
  }

  /** Rows of a list always are: they come from several tasks. */
  private boolean isFenced(KvLayout layout) {
    return mode == WriteMode.CONDITIONAL || layout.isList();
  }

  private static void requireRevisions(boolean isFenced, KvLayout layout) {
    if (isFenced && !layout.holdsRevisions()) {
      throw new DataException(
          ("view \"%s\" has layout: key-only, whose rows hold no revision, so %s=conditional cannot be"
                  + " honoured; give the view layout: key-value, or write it with a sink of"
                  + " %s=overwrite")
              .formatted(
                  layout.view(), KvStoreSinkConfig.MODE_CONFIG, KvStoreSinkConfig.MODE_CONFIG));
    }
  }

  private static Struct struct(Object data, String part) {
    if (data instanceof Struct struct) {
      return struct;
    }
    throw new DataException(
        "the %s is no struct: set %s.converter to io.indexview.connect.common.avro.AvroConverter"
            .formatted(part, part));
  }
}
