package io.indexview.schemas.progress;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Answers of the brokers, each asked for once in a round. Whoever waits for something asks the same
 * round after round; so the first question of a round is put for all keys of the round before, too,
 * in one request. For one thread.
 *
 * @param <K> what is asked about
 * @param <V> an answer; one that takes its time, or may fail, is a future, and holds up nobody else
 */
public final class RoundAnswers<K, V> {
  private final Function<Set<K>, Map<K, V>> brokers;
  private final Map<K, V> answers = new HashMap<>();
  private final Set<K> asked = new HashSet<>();
  private final Set<K> expected = new HashSet<>();

  /**
   * @param brokers has an answer for each key that it is asked for
   */
  public RoundAnswers(Function<Set<K>, Map<K, V>> brokers) {
    this.brokers = brokers;
  }

  /** Begins another round: earlier answers are too old. */
  public void begin() {
    expected.clear();
    expected.addAll(asked);
    asked.clear();
    answers.clear();
  }

  /** Adds keys to those that the next question is put for. */
  public void expect(Collection<K> keys) {
    expected.addAll(keys);
  }

  /** The answers of this round, by key. */
  public Map<K, V> of(Collection<K> keys) {
    asked.addAll(keys);
    if (!answers.keySet().containsAll(keys)) {
      Set<K> open = new HashSet<>(expected);
      open.addAll(keys);
      open.removeAll(answers.keySet());
      answers.putAll(brokers.apply(open));
    }
    return keys.stream().distinct().collect(Collectors.toMap(Function.identity(), answers::get));
  }
}
