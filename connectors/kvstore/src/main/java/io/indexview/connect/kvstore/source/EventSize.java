package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.value.ValueConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Whether records take more of a change event than their values took of the store: a number of one
 * digit in JSON has eight bytes as a double, and a default as many as it likes. For one thread.
 */
final class EventSize {
  private final int max;
  private final boolean mayGrow;
  private final GenericDatumWriter<GenericRecord> writer;
  private BinaryEncoder encoder;

  /** The record is larger. */
  private static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * @param values whose length is at most {@code max}
   * @param max bytes of a record in an event
   */
  EventSize(ValueConfig values, int max) {
    this.max = max;
    this.mayGrow = values.format().mayGrow();
    this.writer = new GenericDatumWriter<>(values.schema());
  }

  /** Looks no further than it has to: what a default fills in may be without end. */
  boolean isTooLarge(GenericRecord record) {
    return mayGrow && isLonger(record);
  }

  private boolean isLonger(GenericRecord record) {
    try {
      encoder = EncoderFactory.get().directBinaryEncoder(new Bounded(max), encoder);
      writer.write(record, encoder);
      return false;
    } catch (TooLargeException e) {
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Bounded extends OutputStream {
    private int left;

    Bounded(int max) {
      this.left = max;
    }

    @Override
    public void write(int one) throws IOException {
      take(1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      take(length);
    }

    private void take(int length) throws IOException {
      left -= length;
      if (left < 0) {
        throw new TooLargeException();
      }
    }
  }
}
