package io.indexview.views.derive;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import java.util.function.IntFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * Decodes primary records, once for all views that read them with one schema. Not thread-safe: each
 * thread has its own.
 */
public final class RecordDecoder {

  /**
   * @param readerSchema what records are resolved to, usually a {@link Projection}
   * @param writerSchemas schema of a registry id; whatever it throws passes through {@link #decode}
   */
  public RecordDecoder(
      RecordFormat format, Schema readerSchema, IntFunction<Schema> writerSchemas) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * A new record on each call.
   *
   * @param value the record's bytes alone, without the union branch of an envelope's {@code after}
   * @throws DerivationException if the bytes are no record of the writer's schema, or the writer's
   *     schema cannot be read with the reader's
   */
  public GenericRecord decode(FramedValue value) throws DerivationException {
    throw new IllegalStateException("not built yet");
  }
}
