package io.indexview.cli.output;

import java.util.regex.Pattern;

/** Text from elsewhere, for a terminal. */
public final class TerminalText {
  /** Control characters, and those that change the direction of writing. */
  private static final Pattern CONTROLS =
      Pattern.compile("[\\p{IsControl}\\u202a-\\u202e\\u2066-\\u2069]");

  private TerminalText() {}

  /** The text without what could steer the terminal. */
  public static String clean(String text) {
    return CONTROLS.matcher(text).replaceAll("\ufffd");
  }
}
