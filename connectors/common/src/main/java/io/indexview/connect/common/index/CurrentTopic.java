package io.indexview.connect.common.index;

import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongFunction;

/** Which topic of a name there is, for one who asks again and again. For one thread. */
public final class CurrentTopic {
  /** How old an answer may be, unless nobody asked again since. */
  private static final Duration TRUSTED = Duration.ofSeconds(10);

  private final LongFunction<Optional<String>> idSince;
  private final Time time;

  /** Answers to earlier questions say nothing. Like {@link System#nanoTime}. */
  private long validSince;

  /**
   * The moment that a call got no answer for, like {@link System#nanoTime}; null: none did. The
   * question may have been open before that call, as somebody else asked it; no answer to it was.
   */
  private Long unanswered;

  /**
   * @param idSince see {@link ChangeTopicReader#idSince}
   */
  public CurrentTopic(LongFunction<Optional<String>> idSince, Time time) {
    this.idSince = idSince;
    this.time = time;
    this.validSince = time.nanoTime();
  }

  /**
   * Kafka's id of the topic, as of an answer that is a few seconds old at most, or else of the one
   * to the question of an earlier call, however long ago that was: who asks seldom would never get
   * a newer one. Empty while there is none. Returns at once; to be asked again.
   */
  public Optional<String> id() {
    long now = time.nanoTime();
    long trustedSince = now - TRUSTED.toNanos();
    long moment = validSince - trustedSince > 0 ? validSince : trustedSince;
    Optional<String> fresh = idSince.apply(moment);
    if (fresh.isPresent()) {
      unanswered = null;
      return fresh;
    }
    Optional<String> late = unanswered == null ? Optional.empty() : idSince.apply(unanswered);
    if (unanswered == null || late.isPresent()) {
      unanswered = moment;
    }
    return late;
  }

  /** From now on no answer counts to a question of before. */
  public void forget() {
    validSince = time.nanoTime();
    unanswered = null;
  }
}
