package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.common.row.RowVersion;
import io.indexview.connect.common.row.StructFields;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.nio.ByteBuffer;
import java.util.Comparator;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** View records as writes of rows, by the layout that their topic carries. For one thread. */
final class RowMapper {
  private final GenerationCache<KvLayout> layouts = new GenerationCache<>(KvLayout::of);
  private final WriteMode mode;
  private final int maxValueBytes;

  /**
   * @param maxValueBytes that the value of a row may take
   */
  RowMapper(WriteMode mode, int maxValueBytes) {
    this.mode = mode;
    this.maxValueBytes = maxValueBytes;
  }

  /**
   * The write of a record.
   *
   * @throws DataException if the record is no view row, its value is too large, or it is of a view
   *     whose rows cannot be written in this mode
   * @throws io.indexview.views.layout.LayoutException if the row has no place in the store
   * @throws io.indexview.kvstore.KvStoreException.Refused if its key is too long
   * @throws IllegalArgumentException if a field is no value of its type
   */
  KvRowWrite map(SinkRecord record) {
    KvLayout layout = layouts.of(record);
    boolean isFenced = isFenced(layout);
    requireRevisions(isFenced, layout);
    RowVersion version = RowVersion.of(record);
    Struct key = struct(record.key(), "key");
    KvPath path = layout.path(key::get);
    byte[] value = null;
    if (record.value() != null) {
      Struct fields = struct(record.value(), "value");
      value = layout.value(key::get, StructFields.of(fields), version.revision());
      requireRoom(value, fields);
    } else if (isFenced) {
      value = layout.tombstone(key::get, version.revision());
    }
    String element = layout.isList() ? key.getString(ViewFields.PRIMARY_KEY) : null;
    KvKey rowKey = new KvKey(path.major(), path.minor());
    return new KvRowWrite(record, rowKey, element, value, version.revision(), layout, isFenced);
  }

  /** Whether deleted rows of a layout leave tombstones. */
  boolean leavesTombstones(KvLayout layout) {
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

  /** A server reads a request into its memory: one that has no room for it goes down each time. */
  private void requireRoom(byte[] value, Struct fields) {
    if (value.length > maxValueBytes) {
      throw new DataException(
          ("field \"%s\" makes the row's value too large: it takes %d bytes, %s is %d; leave the field"
                  + " out of the view's include, or raise %s if the store's nodes have the memory")
              .formatted(
                  largest(fields),
                  value.length,
                  KvStoreSinkConfig.MAX_VALUE_CONFIG,
                  maxValueBytes,
                  KvStoreSinkConfig.MAX_VALUE_CONFIG));
    }
  }

  private static String largest(Struct fields) {
    return fields.schema().fields().stream()
        .map(Field::name)
        .max(Comparator.comparingInt(name -> size(fields.get(name))))
        .orElse(ViewFields.PRIMARY_KEY);
  }

  private static int size(Object value) {
    return value instanceof ByteBuffer bytes ? bytes.remaining() : String.valueOf(value).length();
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
