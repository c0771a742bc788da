package io.indexview.client.read;

import io.indexview.client.page.PageTokens;
import io.indexview.client.token.FreshnessGate;
import io.indexview.views.definition.Target;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Bounds of a reader, and what it reads with. Nothing of it is closed by the reader.
 *
 * @param maxLimit rows of a page that a query may ask for
 * @param sortLimit rows that a reader sorts for one query which the target cannot answer in order
 * @param metaPrefixes first components of the keys of metadata in the KV store
 * @param freshness waits for writes; empty: {@link ReadOptions#atLeast} is refused
 * @param records primary records; empty: {@link ReadOptions#fetch} is refused
 * @param clock that pages are dated by
 */
public record ReaderConfig(
    PageTokens pageTokens,
    int maxLimit,
    int sortLimit,
    List<String> metaPrefixes,
    Optional<FreshnessGate> freshness,
    Optional<PrimaryRecords> records,
    Clock clock) {
  public static final int DEFAULT_MAX_LIMIT = 1_000;
  public static final int DEFAULT_SORT_LIMIT = 10_000;

  public ReaderConfig {
    Objects.requireNonNull(pageTokens, "pageTokens");
    Objects.requireNonNull(freshness, "freshness");
    Objects.requireNonNull(records, "records");
    Objects.requireNonNull(clock, "clock");
    metaPrefixes = List.copyOf(metaPrefixes);
    if (maxLimit < 1 || sortLimit < 1) {
      throw new IllegalArgumentException(
          "maxLimit %d, sortLimit %d: use 1 or more".formatted(maxLimit, sortLimit));
    }
  }

  /** Usual bounds and prefix; neither waits for writes nor fetches. */
  public static ReaderConfig of(PageTokens pageTokens) {
    return new ReaderConfig(
        pageTokens,
        DEFAULT_MAX_LIMIT,
        DEFAULT_SORT_LIMIT,
        List.of(Target.Kv.DEFAULT_META_PREFIX),
        Optional.empty(),
        Optional.empty(),
        Clock.systemUTC());
  }

  public ReaderConfig withMaxLimit(int rows) {
    return new ReaderConfig(pageTokens, rows, sortLimit, metaPrefixes, freshness, records, clock);
  }

  public ReaderConfig withSortLimit(int rows) {
    return new ReaderConfig(pageTokens, maxLimit, rows, metaPrefixes, freshness, records, clock);
  }

  public ReaderConfig withMetaPrefixes(List<String> prefixes) {
    return new ReaderConfig(pageTokens, maxLimit, sortLimit, prefixes, freshness, records, clock);
  }

  public ReaderConfig waitingWith(FreshnessGate gate) {
    return new ReaderConfig(
        pageTokens, maxLimit, sortLimit, metaPrefixes, Optional.of(gate), records, clock);
  }

  public ReaderConfig fetchingFrom(PrimaryRecords primaryRecords) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        sortLimit,
        metaPrefixes,
        freshness,
        Optional.of(primaryRecords),
        clock);
  }

  public ReaderConfig datedBy(Clock newClock) {
    return new ReaderConfig(
        pageTokens, maxLimit, sortLimit, metaPrefixes, freshness, records, newClock);
  }
}
