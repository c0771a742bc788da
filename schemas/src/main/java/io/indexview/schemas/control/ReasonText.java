package io.indexview.schemas.control;

/** Why something is as it is, in words for people, some of which come from outside. */
public final class ReasonText {
  private ReasonText() {}

  /**
   * Cuts a text that is too long, since a reason is kept and published many times.
   *
   * @param maxLength in characters, 1 or more, without the sign that something is missing
   */
  public static String bounded(String text, int maxLength) {
    if (text.length() <= maxLength) {
      return text;
    }
    boolean isWithinPair = Character.isHighSurrogate(text.charAt(maxLength - 1));
    return text.substring(0, isWithinPair ? maxLength - 1 : maxLength) + "…";
  }
}
