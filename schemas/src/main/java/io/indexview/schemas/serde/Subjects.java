package io.indexview.schemas.serde;

/** Names of subjects: the topic, and whether its keys or its values are meant. */
public final class Subjects {
  private Subjects() {}

  public static String key(String topic) {
    return topic + suffix(true);
  }

  public static String value(String topic) {
    return topic + suffix(false);
  }

  static String suffix(boolean isKey) {
    return isKey ? "-key" : "-value";
  }
}
