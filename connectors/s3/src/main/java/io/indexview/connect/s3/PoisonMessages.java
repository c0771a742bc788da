package io.indexview.connect.s3;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages that cannot be read: each is named in the log once, however often it comes back. */
final class PoisonMessages {
  private static final Logger LOGGER = LoggerFactory.getLogger(PoisonMessages.class);
  private static final int REMEMBERED = 1_000;

  private final Map<String, Boolean> named =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };
  private long receipts;

  void add(String messageId, Exception reason) {
    receipts++;
    if (named.put(messageId, Boolean.TRUE) == null) {
      LOGGER.warn(
          "Message {} cannot be used and is left to the queue's redrive policy: {}",
          messageId,
          reason.getMessage());
    }
  }

  /** Receipts of such messages so far. */
  long receipts() {
    return receipts;
  }
}
