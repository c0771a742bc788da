package io.indexview.connect.s3.object;

import io.indexview.connect.common.errors.Backoff;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Looks at every object of one page. Each look that the store does not answer is tried again by
 * itself, with growing waits; for some time only, and what was found until then is not asked for
 * again. For one thread.
 */
final class PageLooks {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String bucket;
  private final ObjectStore.Page page;
  private final Map<String, Optional<ObjectInfo>> found = new LinkedHashMap<>();
  private final Map<String, ObjectStoreException.Permanent> refused = new LinkedHashMap<>();

  /**
   * @param page as it was listed
   */
  PageLooks(String bucket, ObjectStore.Page page) {
    this.bucket = bucket;
    this.page = page;
  }

  /**
   * Looks at what is missing.
   *
   * @return the page, without objects that are gone
   * @throws ObjectStoreException.Unavailable if the store did not answer for all of them; to be
   *     called again
   */
  ObjectStore.Page complete(ObjectLooks looks, Supplier<Backoff> backoffs, Clock clock) {
    List<String> missing =
        page.objects().stream()
            .map(ObjectInfo::key)
            .filter(key -> !found.containsKey(key) && !refused.containsKey(key))
            .toList();
    Round round = new Round(looks, clock, clock.instant().plus(PATIENCE));
    List<CompletableFuture<Optional<ObjectInfo>>> answers =
        missing.stream().map(key -> round.look(key, backoffs.get(), Duration.ZERO)).toList();
    try {
      for (int i = 0; i < answers.size(); i++) {
        take(missing.get(i), answers.get(i));
      }
    } catch (ObjectStoreException.Unavailable e) {
      takeDone(missing, answers);
      throw e;
    } finally {
      round.isOver = true;
    }
    List<ObjectInfo> present = new ArrayList<>();
    page.objects()
        .forEach(o -> found.getOrDefault(o.key(), Optional.empty()).ifPresent(present::add));
    return new ObjectStore.Page(present, refused, page.end(), page.isLast());
  }

  private void take(String key, CompletableFuture<Optional<ObjectInfo>> answer) {
    try {
      found.put(key, answer.join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof ObjectStoreException.Unavailable unavailable) {
        throw unavailable;
      }
      refused.put(
          key,
          e.getCause() instanceof ObjectStoreException.Permanent permanent
              ? permanent
              : new ObjectStoreException.Permanent(e.getCause().toString(), e.getCause()));
    }
  }

  private void takeDone(List<String> keys, List<CompletableFuture<Optional<ObjectInfo>>> answers) {
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i).isDone() && !answers.get(i).isCompletedExceptionally()) {
        found.put(keys.get(i), answers.get(i).join());
      }
    }
  }

  /** The looks of one call. */
  private final class Round {
    private final ObjectLooks looks;
    private final Clock clock;
    private final Instant end;

    /** Looks that nobody began would only make a busy store busier. */
    private volatile boolean isOver;

    private Round(ObjectLooks looks, Clock clock, Instant end) {
      this.looks = looks;
      this.clock = clock;
      this.end = end;
    }

    private CompletableFuture<Optional<ObjectInfo>> look(
        String key, Backoff backoff, Duration delay) {
      return looks
          .headAfter(delay, bucket, key, () -> !isOver)
          .exceptionallyCompose(thrown -> again(key, backoff, thrown));
    }

    private CompletableFuture<Optional<ObjectInfo>> again(
        String key, Backoff backoff, Throwable thrown) {
      Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
      Duration delay = backoff.next();
      return cause instanceof ObjectStoreException.Unavailable
              && !isOver
              && !looks.isClosed()
              && clock.instant().plus(delay).isBefore(end)
          ? look(key, backoff, delay)
          : CompletableFuture.failedFuture(cause);
    }
  }
}
