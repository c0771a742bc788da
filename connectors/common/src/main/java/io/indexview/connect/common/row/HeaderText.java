package io.indexview.connect.common.row;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.header.Header;

/** Headers as any header converter hands them out: text, bytes or numbers. */
public final class HeaderText {
  private HeaderText() {}

  /** The text of a record's last header of a name; empty if it has none. */
  public static Optional<String> of(ConnectRecord<?> record, String name) {
    Header header = record.headers().lastWithName(name);
    return Optional.ofNullable(header).map(Header::value).map(HeaderText::of);
  }

  static String of(Object value) {
    return value instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : String.valueOf(value);
  }
}
