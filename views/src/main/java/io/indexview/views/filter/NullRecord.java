package io.indexview.views.filter;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelValue;
import dev.cel.common.values.NullValue;
import dev.cel.common.values.SelectableValue;
import java.util.Optional;

/** A record that is null: CEL takes it for null, unless it asks for a field, which is null too. */
@SuppressWarnings("Immutable") // what the fields keep depends on their schema alone
final class NullRecord extends CelValue implements SelectableValue<String> {
  private final RecordFields fields;

  NullRecord(RecordFields fields) {
    this.fields = fields;
  }

  @Override
  public Object select(String field) {
    return fields.absent(field);
  }

  @Override
  public Optional<Object> find(String field) {
    return Optional.empty();
  }

  @Override
  public Object value() {
    return NullValue.NULL_VALUE;
  }

  @Override
  public boolean isZeroValue() {
    return true;
  }

  @Override
  public CelType celType() {
    return SimpleType.NULL_TYPE;
  }
}
