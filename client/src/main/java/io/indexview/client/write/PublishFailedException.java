package io.indexview.client.write;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;

/**
 * A write is in the store, its change event did not reach Kafka, as far as is known. Nothing has to
 * be done: the source's next scan finds the change. To write again is harmless and pointless.
 */
public final class PublishFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient KvKey key;
  private final transient KvVersion version;

  /**
   * @param version of the record that was written or removed
   */
  public PublishFailedException(KvKey key, KvVersion version, Throwable cause) {
    super(
        "The write of %s (version %s) is safe in the store, its change event is not in Kafka: %s. Views follow with the next scan."
            .formatted(key, version, cause.getMessage()),
        cause);
    this.key = key;
    this.version = version;
  }

  public KvKey key() {
    return key;
  }

  /** Of the record that was written or removed. */
  public KvVersion version() {
    return version;
  }
}
