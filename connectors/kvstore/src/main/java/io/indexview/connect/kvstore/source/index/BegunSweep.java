package io.indexview.connect.kvstore.source.index;

import io.indexview.kvstore.KvKey;
import java.util.Map;

/**
 * What a restarted task needs to go on with a sweep where it was, once Kafka has all that was sent
 * up to there.
 *
 * @param scope which keys of which store it looks at, as text
 * @param force publishes every record
 * @param request see {@code Look}
 * @param startedAt ms since the epoch
 * @param begins end offset of each partition before the sweep
 * @param covered text of {@link SweepPosition#covered}; null: none yet
 * @param indexKey see {@link SweepPosition}
 * @param records see {@link SweepPosition}
 */
public record BegunSweep(
    String scope,
    boolean force,
    long request,
    long startedAt,
    Map<Integer, Long> begins,
    String covered,
    byte[] indexKey,
    long records) {

  /** One that begins. */
  public static BegunSweep start(
      String scope, boolean force, long request, long startedAt, Map<Integer, Long> begins) {
    return new BegunSweep(scope, force, request, startedAt, Map.copyOf(begins), null, null, 0);
  }

  /** The same, further on. */
  public BegunSweep at(SweepPosition position) {
    String text = position.covered() == null ? null : position.covered().toString();
    return new BegunSweep(
        scope, force, request, startedAt, begins, text, position.indexKey(), position.records());
  }

  /** Whether another that is to do the same may go on with it; when it began does not matter. */
  public boolean goesOnAs(BegunSweep other) {
    return !force && !other.force && scope.equals(other.scope);
  }

  public SweepPosition position() {
    KvKey key = covered == null ? null : KvKey.fromString(covered);
    return new SweepPosition(key, indexKey, records, false);
  }
}
