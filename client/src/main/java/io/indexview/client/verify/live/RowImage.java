package io.indexview.client.verify.live;

import io.indexview.client.verify.Row;
import io.indexview.views.encoding.PlainValues;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What two rows are compared by.
 *
 * @param revision empty where rows hold none
 * @param content the first 128 bits of SHA-256 over the row's values
 */
record RowImage(String primaryKey, OptionalLong revision, ByteBuffer content) {
  static final int CONTENT_BYTES = 16;

  static RowImage of(Row row) {
    return new RowImage(row.primaryKey(), row.revision(), digest(row.values()));
  }

  static OptionalLong revision(Optional<RowImage> row) {
    return row.map(RowImage::revision).orElse(OptionalLong.empty());
  }

  private static ByteBuffer digest(Map<String, Object> values) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try {
      write(values, new DataOutputStream(bytes));
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
      return ByteBuffer.wrap(digest, 0, CONTENT_BYTES).slice();
    } catch (IOException e) {
      throw new UncheckedIOException("memory takes everything", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Equal bytes for equal plain values of one schema, in whatever order maps have them. */
  private static void write(Object value, DataOutputStream out) throws IOException {
    if (value == null) {
      out.writeByte('0');
    } else if (value instanceof Map<?, ?> entries) {
      out.writeByte('m');
      out.writeInt(entries.size());
      TreeMap<String, Object> sorted = new TreeMap<>();
      entries.forEach((name, entry) -> sorted.put(name.toString(), entry));
      for (Map.Entry<String, Object> entry : sorted.entrySet()) {
        write(entry.getKey(), out);
        write(entry.getValue(), out);
      }
    } else if (value instanceof Collection<?> elements) {
      out.writeByte('c');
      out.writeInt(elements.size());
      for (Object element : elements) {
        write(element, out);
      }
    } else if (value instanceof ByteBuffer buffer) {
      writeBytes('b', PlainValues.copy(buffer), out);
    } else {
      writeBytes('s', value.toString().getBytes(StandardCharsets.UTF_8), out);
    }
  }

  private static void writeBytes(char tag, byte[] bytes, DataOutputStream out) throws IOException {
    out.writeByte(tag);
    out.writeInt(bytes.length);
    out.write(bytes);
  }
}
