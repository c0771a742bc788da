package io.indexview.client.read;

import io.indexview.client.token.FreshnessGate;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.Target;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Bounds of a reader, and what it reads with. Nothing of it is closed by the reader.
 *
 * @param maxLimit rows of a page that a query may ask for
 * @param maxPageBytes of rows of a page, and of their primary records, as the stores hold them:
 *     what reaches them is the page's last
 * @param sortLimit rows that a reader sorts for one query which the target cannot answer in order
 * @param metaPrefixes first components of the keys of metadata in the KV store
 * @param freshness waits for writes; empty: {@link ReadOptions#atLeast} is refused
 * @param records primary records; empty: {@link ReadOptions#fetch} is refused
 * @param time that pages are dated by, and the age of metadata is counted by
 * @param metadataMaxAge how old what a reader knows of a READY view may be, {@link Duration#ZERO}
 *     to {@link #MAX_METADATA_AGE}: for so long it may read rows of a view that is no longer READY,
 *     or of a generation that serves no more. Zero has it look before and after each page
 */
public record ReaderConfig(
    PageTokens pageTokens,
    int maxLimit,
    long maxPageBytes,
    int sortLimit,
    List<String> metaPrefixes,
    Optional<FreshnessGate> freshness,
    Optional<PrimaryRecords> records,
    Time time,
    Duration metadataMaxAge) {
  public static final int DEFAULT_MAX_LIMIT = 1_000;
  public static final long DEFAULT_MAX_PAGE_BYTES = 8L << 20;
  public static final int DEFAULT_SORT_LIMIT = 10_000;
  public static final Duration DEFAULT_METADATA_MAX_AGE = Duration.ofSeconds(1);

  /** Half of the time that rows stay: the other half is for clocks that differ. */
  public static final Duration MAX_METADATA_AGE = ViewMetadata.MIN_GRACE.dividedBy(2);

  public ReaderConfig {
    Objects.requireNonNull(pageTokens, "pageTokens");
    Objects.requireNonNull(freshness, "freshness");
    Objects.requireNonNull(records, "records");
    Objects.requireNonNull(time, "time");
    metaPrefixes = List.copyOf(metaPrefixes);
    if (maxLimit < 1 || maxPageBytes < 1 || sortLimit < 1) {
      throw new IllegalArgumentException(
          "maxLimit %d, maxPageBytes %d, sortLimit %d: use 1 or more"
              .formatted(maxLimit, maxPageBytes, sortLimit));
    }
    if (metadataMaxAge.isNegative() || metadataMaxAge.compareTo(MAX_METADATA_AGE) > 0) {
      throw new IllegalArgumentException(
          "metadataMaxAge %d ms: use 0 to %d ms"
              .formatted(metadataMaxAge.toMillis(), MAX_METADATA_AGE.toMillis()));
    }
  }

  /** Usual bounds and prefix; neither waits for writes nor fetches. */
  public static ReaderConfig of(PageTokens pageTokens) {
    return new ReaderConfig(
        pageTokens,
        DEFAULT_MAX_LIMIT,
        DEFAULT_MAX_PAGE_BYTES,
        DEFAULT_SORT_LIMIT,
        List.of(Target.Kv.DEFAULT_META_PREFIX),
        Optional.empty(),
        Optional.empty(),
        Time.SYSTEM,
        DEFAULT_METADATA_MAX_AGE);
  }

  public ReaderConfig withMaxLimit(int rows) {
    return new ReaderConfig(
        pageTokens,
        rows,
        maxPageBytes,
        sortLimit,
        metaPrefixes,
        freshness,
        records,
        time,
        metadataMaxAge);
  }

  public ReaderConfig withMaxPageBytes(long bytes) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        bytes,
        sortLimit,
        metaPrefixes,
        freshness,
        records,
        time,
        metadataMaxAge);
  }

  public ReaderConfig withSortLimit(int rows) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        maxPageBytes,
        rows,
        metaPrefixes,
        freshness,
        records,
        time,
        metadataMaxAge);
  }

  public ReaderConfig withMetaPrefixes(List<String> prefixes) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        maxPageBytes,
        sortLimit,
        prefixes,
        freshness,
        records,
        time,
        metadataMaxAge);
  }

  public ReaderConfig waitingWith(FreshnessGate gate) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        maxPageBytes,
        sortLimit,
        metaPrefixes,
        Optional.of(gate),
        records,
        time,
        metadataMaxAge);
  }

  public ReaderConfig fetchingFrom(PrimaryRecords primaryRecords) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        maxPageBytes,
        sortLimit,
        metaPrefixes,
        freshness,
        Optional.of(primaryRecords),
        time,
        metadataMaxAge);
  }

  public ReaderConfig withTime(Time newTime) {
    return new ReaderConfig(
        pageTokens,
        maxLimit,
        maxPageBytes,
        sortLimit,
        metaPrefixes,
        freshness,
        records,
        newTime,
        metadataMaxAge);
  }

  public ReaderConfig withMetadataMaxAge(Duration age) {
    return new ReaderConfig(
        pageTokens, maxLimit, maxPageBytes, sortLimit, metaPrefixes, freshness, records, time, age);
  }
}
