package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Text that is UTF-8 to the last byte: nothing is replaced. */
final class Utf8Text {
  private Utf8Text() {}

  static String of(byte[] value) throws UndecodableException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      throw new UndecodableException(
          "the %d bytes are no text in UTF-8".formatted(value.length), e);
    }
  }
}
