package io.indexview.connect.s3.notification;

import java.util.HexFormat;

/**
 * The sequencer of a notification as bytes. Two sequencers of one object are compared as text after
 * the shorter one is padded with zeros on the right, which is how the bytes are compared, too.
 */
public final class Sequencer {
  private Sequencer() {}

  /**
   * @throws IllegalArgumentException if the text is not made of hex digits
   */
  public static byte[] decode(String hex) {
    if (hex.isEmpty()) {
      throw new IllegalArgumentException("empty sequencer");
    }
    return HexFormat.of().parseHex(hex.length() % 2 == 0 ? hex : hex + "0");
  }
}
