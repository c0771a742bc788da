package io.indexview.connect.s3;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that cannot be read: each is named in the log once, however often it comes back while it
 * is among the last {@value #REMEMBERED}. For one thread, but for the count.
 */
final class PoisonMessages {
  private static final Logger LOGGER = LoggerFactory.getLogger(PoisonMessages.class);
  static final String LEFT = "is left to the queue's redrive policy";
  static final int REMEMBERED = 10_000;

  private final Map<String, Boolean> named =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };
  private final String fate;
  private final AtomicLong receipts = new AtomicLong();

  /**
   * @param fate what becomes of a message that can never be read
   */
  PoisonMessages(String fate) {
    this.fate = fate;
  }

  /** A message that can never be read. */
  void add(String messageId, String reason) {
    add(messageId, reason, fate);
  }

  /** A message that could be read, and cannot be used until somebody changes something. */
  void left(String messageId, String reason) {
    add(messageId, reason, LEFT);
  }

  private void add(String messageId, String reason, String what) {
    receipts.incrementAndGet();
    if (named.put(messageId, Boolean.TRUE) == null) {
      LOGGER.warn("Message {} cannot be used and {}: {}", messageId, what, reason);
    }
  }

  /** Receipts of such messages so far. */
  long receipts() {
    return receipts.get();
  }
}
