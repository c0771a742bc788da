package io.indexview.connect.kvstore.source.index;

import io.indexview.kvstore.KvKey;
import java.util.Map;

/**
 * What a restarted task needs to go on with a scan where it was, once Kafka has all that was sent
 * up to there.
 *
 * @param scope which keys of which store it looks at, and how it reads their values, as text
 * @param adHoc publishes every record
 * @param request see {@code Scan}
 * @param startedAt ms since the epoch
 * @param begins end offset of each partition before the scan
 * @param covered text of {@link ScanPosition#covered}; null: none yet
 * @param indexKey see {@link ScanPosition}
 * @param records see {@link ScanPosition}
 * @param changesFrom a position in the store's changes that is no later than the scan began; null:
 *     they were not followed
 */
public record BegunScan(
    String scope,
    boolean adHoc,
    long request,
    long startedAt,
    Map<Integer, Long> begins,
    String covered,
    byte[] indexKey,
    long records,
    String changesFrom) {

  /** Returns a scan that begins. */
  public static BegunScan start(
      String scope,
      boolean adHoc,
      long request,
      long startedAt,
      Map<Integer, Long> begins,
      String changesFrom) {
    return new BegunScan(
        scope, adHoc, request, startedAt, Map.copyOf(begins), null, null, 0, changesFrom);
  }

  /** Returns a copy with a later scan position. */
  public BegunScan at(ScanPosition position) {
    String text = position.covered() == null ? null : position.covered().toString();
    return new BegunScan(
        scope,
        adHoc,
        request,
        startedAt,
        begins,
        text,
        position.indexKey(),
        position.records(),
        changesFrom);
  }

  /** Whether another that is to do the same may go on with it; when it began does not matter. */
  public boolean goesOnAs(BegunScan other) {
    return !adHoc && !other.adHoc && scope.equals(other.scope);
  }

  public ScanPosition position() {
    KvKey key = covered == null ? null : KvKey.fromString(covered);
    return new ScanPosition(key, indexKey, records, false);
  }
}
