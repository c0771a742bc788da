package io.indexview.verification;

import io.indexview.views.encoding.PlainValues;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A view row as it is compared with another of the same id.
 *
 * @param revision empty where rows hold none
 * @param content equal bytes exactly if primary key, revision and values are equal; not copied,
 *     never to be changed
 */
public record RowContent(String id, String primaryKey, OptionalLong revision, byte[] content) {
  public RowContent {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(primaryKey, "primaryKey");
    Objects.requireNonNull(revision, "revision");
    Objects.requireNonNull(content, "content");
  }

  /** Content of a row of any target, in a form of its own, which is no JSON. */
  static RowContent of(Row row) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      write(row.primaryKey(), out);
      out.writeBoolean(row.revision().isPresent());
      out.writeLong(row.revision().orElse(0));
      write(row.values(), out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory takes everything", e);
    }
    return new RowContent(row.id(), row.primaryKey(), row.revision(), bytes.toByteArray());
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

  @Override
  public boolean equals(Object other) {
    return other instanceof RowContent that
        && id.equals(that.id)
        && primaryKey.equals(that.primaryKey)
        && revision.equals(that.revision)
        && Arrays.equals(content, that.content);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }
}
