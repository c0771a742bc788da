package io.indexview.server.http;

import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Reads bodies as text. One that is none in its charset is refused: what a decoder puts in the
 * place of bytes that are no characters must not get into records. Thread-safe.
 */
@Consumes(MediaType.WILDCARD)
final class TextBodyReader implements MessageBodyReader<String> {
  private static final char REPLACEMENT = '\uFFFD';

  @Override
  public boolean isReadable(
      Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
    return type == String.class;
  }

  /**
   * @throws java.nio.charset.UnsupportedCharsetException if there is no such charset here
   * @throws java.nio.charset.IllegalCharsetNameException if there can be none
   */
  @Override
  public String readFrom(
      Class<String> type,
      Type genericType,
      Annotation[] annotations,
      MediaType mediaType,
      MultivaluedMap<String, String> headers,
      InputStream body)
      throws IOException {
    Charset charset = charset(mediaType);
    byte[] bytes = bytes(headers.getFirst(HttpHeaders.CONTENT_LENGTH), body);
    String text = new String(bytes, charset);
    // It may also stand for itself.
    if (text.indexOf(REPLACEMENT) >= 0 && !isText(bytes, charset)) {
      throw ProblemException.of(
          ProblemType.BAD_REQUEST, "the body holds bytes that are no " + charset.name());
    }
    return text;
  }

  private static Charset charset(MediaType type) {
    String name = type == null ? null : type.getParameters().get(MediaType.CHARSET_PARAMETER);
    return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
  }

  /**
   * @param length that was announced, and is never exceeded; null: none was
   */
  private static byte[] bytes(String length, InputStream body) throws IOException {
    try {
      return length == null ? body.readAllBytes() : body.readNBytes(Integer.parseInt(length));
    } catch (NumberFormatException e) {
      // Of more than an int holds, which no array does either.
      return body.readAllBytes();
    }
  }

  private static boolean isText(byte[] bytes, Charset charset) {
    try {
      charset.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
