package io.indexview.kvstore;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The text form of keys, character for character what the store's own {@code Key} writes. */
final class KeyText {
  private static final String LITERAL_PUNCTUATION = "-_.!~*'():@&=+$,;";
  private static final boolean[] LITERAL = literals();
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private KeyText() {}

  static String format(List<String> major, List<String> minor) {
    StringBuilder text = new StringBuilder(64);
    for (String component : major) {
      appendComponent(text.append('/'), component);
    }
    String delimiter = "/-/";
    for (String component : minor) {
      appendComponent(text.append(delimiter), component);
      delimiter = "/";
    }
    return text.toString();
  }

  private static void appendComponent(StringBuilder text, String component) {
    if (component.equals("-")) {
      text.append("%2D");
      return;
    }
    int written = 0;
    for (int i = 0; i < component.length(); i++) {
      char c = component.charAt(i);
      if (!isLiteral(c)) {
        text.append(component, written, i);
        appendEscaped(text, c);
        written = i + 1;
      }
    }
    if (written == 0) {
      text.append(component);
    } else {
      text.append(component, written, component.length());
    }
  }

  private static boolean isLiteral(char c) {
    if (c >= 0x80) {
      return !Character.isSpaceChar(c) && !Character.isISOControl(c);
    }
    return LITERAL[c];
  }

  private static boolean[] literals() {
    boolean[] literal = new boolean[0x80];
    for (char c = 0; c < literal.length; c++) {
      literal[c] =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || LITERAL_PUNCTUATION.indexOf(c) >= 0;
    }
    return literal;
  }

  private static void appendEscaped(StringBuilder text, char c) {
    for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
      text.append('%').append(HEX[(b >> 4) & 0xF]).append(HEX[b & 0xF]);
    }
  }

  static KvKey parse(String text) {
    if (text.isEmpty() || text.charAt(0) != '/') {
      throw malformed(text, 0, "a key path starts with '/'");
    }
    List<String> major = new ArrayList<>();
    List<String> minor = new ArrayList<>();
    List<String> path = major;
    int start = 1;
    while (true) {
      int slash = text.indexOf('/', start);
      int end = slash < 0 ? text.length() : slash;
      path.add(component(text, start, end));
      if (slash < 0) {
        return new KvKey(major, minor);
      }
      if (path == major && text.startsWith("/-/", slash)) {
        path = minor;
        start = slash + 3;
      } else {
        start = slash + 1;
      }
    }
  }

  private static String component(String text, int start, int end) {
    StringBuilder component = new StringBuilder(end - start);
    int i = start;
    while (i < end) {
      char c = text.charAt(i);
      if (c == '%') {
        i = unescape(text, i, end, component);
      } else if (isLiteral(c)) {
        component.append(c);
        i++;
      } else {
        throw malformed(text, i, "'%s' must be escaped as '%s'".formatted(shown(c), escaped(c)));
      }
    }
    return component.toString();
  }

  /** Decodes a whole run of escapes, which together must be UTF-8, and returns where it ends. */
  private static int unescape(String text, int start, int end, StringBuilder component) {
    ByteBuffer bytes = ByteBuffer.allocate((end - start) / 3 + 1);
    int i = start;
    while (i < end && text.charAt(i) == '%') {
      int high = i + 2 < end ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = i + 2 < end ? Character.digit(text.charAt(i + 2), 16) : -1;
      if (high < 0 || low < 0) {
        throw malformed(text, i, "'%' must be followed by two hexadecimal digits");
      }
      bytes.put((byte) (high << 4 | low));
      i += 3;
    }
    try {
      component.append(StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()));
    } catch (CharacterCodingException e) {
      throw malformed(text, start, "the escaped bytes are not UTF-8");
    }
    return i;
  }

  private static String shown(char c) {
    return Character.isISOControl(c) ? "U+%04X".formatted((int) c) : String.valueOf(c);
  }

  private static String escaped(char c) {
    StringBuilder escape = new StringBuilder();
    appendEscaped(escape, c);
    return escape.toString();
  }

  private static IllegalArgumentException malformed(String text, int position, String problem) {
    return new IllegalArgumentException(
        "Key path '%s' is malformed at character %d: %s.".formatted(text, position + 1, problem));
  }
}
