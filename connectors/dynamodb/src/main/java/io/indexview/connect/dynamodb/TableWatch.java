package io.indexview.connect.dynamodb;

import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks now and then whether the rows of generations are lost, also of those that get none for the
 * moment. The checks are made by another thread, one at a time, as the store may take long to
 * answer; all else is for one thread.
 */
final class TableWatch {
  private static final Logger LOGGER = LoggerFactory.getLogger(TableWatch.class);
  private static final Duration ROUND = Duration.ofMinutes(1);

  /** The store takes few such requests. */
  private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

  private final Function<String, Optional<String>> loss;
  private final Executor executor;
  private final Timer untilNextCheck;
  private final Timer untilNextRound;
  private final Deque<String> due = new ArrayDeque<>();
  private final Set<String> lost = new HashSet<>();
  private final Set<String> unknown = new HashSet<>();
  private String topic;
  private CompletableFuture<Optional<String>> check;

  /**
   * @param loss says by a view topic why the rows of its generation are lost
   * @param executor runs that
   */
  TableWatch(Function<String, Optional<String>> loss, Executor executor, Time time) {
    this.loss = loss;
    this.executor = executor;
    this.untilNextCheck = new Timer(time);
    this.untilNextRound = new Timer(time);
  }

  /** Rows of a generation that are lost. */
  record Loss(String topic, String reason) {}

  /** There is some sign that the table of a generation is gone: it is checked next. */
  void suspect(String suspected) {
    if (!suspected.equals(topic) && !due.contains(suspected)) {
      due.addFirst(suspected);
    }
  }

  /**
   * Goes on with its checks. One that fails is made again in the next round.
   *
   * @param topics the view topics to check, asked once a round
   * @return what a check has found, once for each topic
   */
  Optional<Loss> check(Supplier<? extends Collection<String>> topics) {
    Optional<Loss> found = settle();
    if (check == null) {
      begin(topics);
    }
    return found;
  }

  private Optional<Loss> settle() {
    if (check == null || !check.isDone()) {
      return Optional.empty();
    }
    String checked = topic;
    CompletableFuture<Optional<String>> ended = check;
    topic = null;
    check = null;
    try {
      Optional<String> loss = ended.join();
      unknown.remove(checked);
      return loss.filter(reason -> lost.add(checked)).map(reason -> new Loss(checked, reason));
    } catch (CompletionException e) {
      // Whoever writes rows tells of what lasts; this only checks.
      // The first check may come before whatever makes the table of the metadata.
      String said =
          "Whether the table of topic {} still has its rows is not known; it is checked again: {}";
      if (unknown.add(checked)) {
        LOGGER.debug(said, checked, e.getCause().getMessage());
      } else {
        LOGGER.warn(said, checked, e.getCause().getMessage());
      }
      return Optional.empty();
    }
  }

  private void begin(Supplier<? extends Collection<String>> topics) {
    if (!untilNextCheck.isExpired()) {
      return;
    }
    if (due.isEmpty() && untilNextRound.isExpired()) {
      due.addAll(topics.get());
      due.removeAll(lost);
      untilNextRound.reset(ROUND);
    }
    topic = due.poll();
    if (topic != null) {
      String next = topic;
      check = CompletableFuture.supplyAsync(() -> loss.apply(next), executor);
      untilNextCheck.reset(BETWEEN_CHECKS);
    }
  }

  /** The rows of a generation were removed. */
  void forget(String removed) {
    lost.remove(removed);
    due.remove(removed);
    unknown.remove(removed);
  }
}
