package io.indexview.client.poll;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;

/** How long looking at a cluster waits for its answers. */
public final class AnswerTimeouts {
  private static final int CALL_MS = 10_000;
  private static final int REQUEST_MS = 5_000;

  private AnswerTimeouts() {}

  /**
   * Settings of consumers and admin clients whose answers people wait for: Kafka's own give up
   * after a minute.
   *
   * @param kafka what it says of these timeouts is left alone: one must not exceed the other
   */
  public static Map<String, Object> in(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    if (!kafka.containsKey(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG)
        && !kafka.containsKey(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG)) {
      settings.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, CALL_MS);
      settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
    }
    return settings;
  }
}
