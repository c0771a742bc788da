package io.indexview.connect.s3.index;

import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.schemas.change.FramedValue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;

/**
 * What tells one content of an object from another, compared for equality only. The index keeps
 * them in the place of the record.
 *
 * @param size bytes; null if it is not known
 * @param eTag null if it is not known
 * @param lastModified seconds since the epoch; null if nobody read the object
 */
record Facts(Long size, String eTag, Long lastModified) {
  /** Of a record that cannot be read: like no object there is. */
  static final Facts UNKNOWN = new Facts(null, null, null);

  private static final int NO_SCHEMA = 0;
  private static final String SEPARATOR = ",";

  static Facts of(ObjectInfo object) {
    return new Facts(object.size(), object.eTag(), seconds(object.lastModified()));
  }

  /** A HEAD tells whole seconds, a listing may tell more. */
  static Long seconds(Instant lastModified) {
    return lastModified.getEpochSecond();
  }

  /** Whether an object may be what this was taken of. A notification does not tell the time. */
  boolean fits(ObjectInfo object) {
    return Objects.equals(size, object.size())
        && Objects.equals(eTag, object.eTag())
        && (lastModified == null || lastModified.equals(seconds(object.lastModified())));
  }

  FramedValue encode() {
    byte[] text =
        String.join(
                SEPARATOR,
                Objects.toString(size, ""),
                Objects.toString(lastModified, ""),
                Objects.toString(eTag, ""))
            .getBytes(StandardCharsets.UTF_8);
    return new FramedValue(NO_SCHEMA, text, 0, text.length);
  }

  /** Reads {@link #encode} back. */
  static Facts decode(FramedValue value) {
    String text =
        new String(value.buffer(), value.offset(), value.length(), StandardCharsets.UTF_8);
    String[] parts = text.split(SEPARATOR, 3);
    return new Facts(number(parts[0]), parts[2].isEmpty() ? null : parts[2], number(parts[1]));
  }

  private static Long number(String text) {
    return text.isEmpty() ? null : Long.valueOf(text);
  }
}
