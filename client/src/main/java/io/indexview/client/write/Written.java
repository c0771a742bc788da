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
}
