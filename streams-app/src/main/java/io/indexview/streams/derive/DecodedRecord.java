package io.indexview.streams.derive;

import io.indexview.views.derive.DerivationException;
import org.apache.avro.generic.IndexedRecord;

/**
 * A primary record decoded with one reader schema.
 *
 * @param record null if there is none
 * @param failure why there is none although there should be; null if there is no such reason
 */
record DecodedRecord(IndexedRecord record, DerivationException failure) {
  static final DecodedRecord NONE = new DecodedRecord(null, null);

  static DecodedRecord of(IndexedRecord record) {
    return new DecodedRecord(record, null);
  }

  static DecodedRecord failed(DerivationException failure) {
    return new DecodedRecord(null, failure);
  }
}
