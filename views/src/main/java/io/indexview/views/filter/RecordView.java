package io.indexview.views.filter;

import dev.cel.common.values.SelectableValue;
import java.util.Optional;
import org.apache.avro.generic.IndexedRecord;

/** A record inside a record; its fields are converted as they are asked for. */
record RecordView(IndexedRecord record, RecordFields fields) implements SelectableValue<String> {
  @Override
  public Object select(String field) {
    return fields.get(record, field);
  }

  @Override
  public Optional<Object> find(String field) {
    return fields.isNull(record, field) ? Optional.empty() : Optional.of(select(field));
  }
}
