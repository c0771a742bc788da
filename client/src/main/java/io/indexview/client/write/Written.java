package io.indexview.client.write;

import io.indexview.client.token.FreshnessToken;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A write that is in the store.
 *
 * @param version that the store gave it; of a delete: the version that was removed
 * @param published the token of its change event, once Kafka has it; fails with {@link
 *     PublishFailedException}. It is completed on Kafka's thread, so what depends on it must not
 *     block
 */
public record Written(KvKey key, KvVersion version, CompletableFuture<FreshnessToken> published) {
  public Written {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(published, "published");
  }

  /**
   * Waits for the token, at most for the producer's {@code delivery.timeout.ms}.
   *
   * @throws PublishFailedException if there will be none; the write is safe nevertheless
   */
  public FreshnessToken token() {
    try {
      return published.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof PublishFailedException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /**
   * A write is in the store, its change event did not reach Kafka, as far as is known. Nothing has
   * to be done: the source's next scan finds the change. To write again is harmless and pointless.
   */
  public static final class PublishFailedException extends RuntimeException {
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

    /** Version of the record that was written or removed. */
    public KvVersion version() {
      return version;
    }
  }
}
