package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.common.row.RowVersion;
import io.indexview.connect.common.row.StructFields;
import io.indexview.kvstore.KvKey;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** View records as writes of rows, by the layout that their topic carries. For one thread. */
final class RowMapper {
  private final GenerationCache<KvLayout> layouts = new GenerationCache<>(KvLayout::of);

  /**
   * The write of a record.
   *
   * @throws DataException if the record is no view row
   * @throws io.indexview.views.layout.LayoutException if the row has no place in the store
   * @throws io.indexview.kvstore.KvStoreException.Refused if its key is too long
   * @throws IllegalArgumentException if a field is no value of its type
   */
  RowWrite map(SinkRecord record) {
    KvLayout layout = layouts.of(record);
    RowVersion version = RowVersion.of(record);
    Struct key = struct(record.key(), "key");
    KvPath path = layout.path(key::get);
    byte[] value = null;
    if (record.value() != null) {
      value =
          layout.value(
              key::get, StructFields.of(struct(record.value(), "value")), version.revision());
    }
    return new RowWrite(record, new KvKey(path.major(), path.minor()), value);
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
