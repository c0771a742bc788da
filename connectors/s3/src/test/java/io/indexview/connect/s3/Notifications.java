package io.indexview.connect.s3;

/** Bodies of messages. */
final class Notifications {
  private Notifications() {}

  static String created(String key, String sequencer) {
    return message(record("ObjectCreated:Put", key, "\"size\":7,\"eTag\":\"abc\",", sequencer));
  }

  static String removed(String key, String sequencer) {
    return message(record("ObjectRemoved:Delete", key, "", sequencer));
  }

  static String expired(String key) {
    return message(record("LifecycleExpiration:Delete", key, "", ""));
  }

  static String versionRemoved(String key, String sequencer) {
    return message(record("ObjectRemoved:Delete", key, "\"versionId\":\"v1\",", sequencer));
  }

  static String unknownType(String key) {
    return message(record("ObjectRestore:Post", key, "", "01"));
  }

  static String message(String... records) {
    return "{\"Records\":[" + String.join(",", records) + "]}";
  }

  static String record(String type, String key, String fields, String sequencer) {
    return """
        {"eventTime":"2017-08-20T23:59:59.999Z","eventName":"%s","s3":{
         "bucket":{"name":"documents"},"object":{"key":"%s",%s"sequencer":"%s"}}}
        """
        .formatted(type, key, fields, sequencer);
  }
}
