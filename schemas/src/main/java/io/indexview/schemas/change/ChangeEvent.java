package io.indexview.schemas.change;

import java.util.Objects;

/**
 * One change of a primary record, its value still undecoded.
 *
 * @param timestampMs record time: timestamp of the Kafka record, ms since the epoch
 * @param value null exactly for {@link Op#DELETE}
 */
public record ChangeEvent(Op op, long timestampMs, Origin origin, FramedValue value) {
  public ChangeEvent {
    Objects.requireNonNull(op, "op");
    Objects.requireNonNull(origin, "origin");
    if ((op == Op.DELETE) != (value == null)) {
      throw new IllegalArgumentException(
          op == Op.DELETE ? "a delete carries no value" : "op " + op.code() + " without a value");
    }
  }
}
