package io.indexview.client.read;

import io.indexview.client.token.FreshnessGate;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.Target;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

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
 *     or of a generation that no longer serves. Zero has it look before and after each page
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
    return new Builder(pageTokens).build();
  }

  public ReaderConfig withMaxLimit(int rows) {
    return with(changed -> changed.maxLimit = rows);
  }

  public ReaderConfig withMaxPageBytes(long bytes) {
    return with(changed -> changed.maxPageBytes = bytes);
  }

  public ReaderConfig withSortLimit(int rows) {
    return with(changed -> changed.sortLimit = rows);
  }

  public ReaderConfig withMetaPrefixes(List<String> prefixes) {
    return with(changed -> changed.metaPrefixes = prefixes);
  }

  public ReaderConfig waitingWith(FreshnessGate gate) {
    return with(changed -> changed.freshness = Optional.of(gate));
  }

  public ReaderConfig fetchingFrom(PrimaryRecords primaryRecords) {
    return with(changed -> changed.records = Optional.of(primaryRecords));
  }

  public ReaderConfig withTime(Time newTime) {
    return with(changed -> changed.time = newTime);
  }

  public ReaderConfig withMetadataMaxAge(Duration age) {
    return with(changed -> changed.metadataMaxAge = age);
  }

  private ReaderConfig with(Consumer<Builder> change) {
    Builder changed = new Builder(pageTokens);
    changed.maxLimit = maxLimit;
    changed.maxPageBytes = maxPageBytes;
    changed.sortLimit = sortLimit;
    changed.metaPrefixes = metaPrefixes;
    changed.freshness = freshness;
    changed.records = records;
    changed.time = time;
    changed.metadataMaxAge = metadataMaxAge;
    change.accept(changed);
    return changed.build();
  }

  /** Collects a {@link ReaderConfig}, the usual one to begin with. */
  private static final class Builder {
    private final PageTokens pageTokens;
    private int maxLimit = DEFAULT_MAX_LIMIT;
    private long maxPageBytes = DEFAULT_MAX_PAGE_BYTES;
    private int sortLimit = DEFAULT_SORT_LIMIT;
    private List<String> metaPrefixes = List.of(Target.Kv.DEFAULT_META_PREFIX);
    private Optional<FreshnessGate> freshness = Optional.empty();
    private Optional<PrimaryRecords> records = Optional.empty();
    private Time time = Time.SYSTEM;
    private Duration metadataMaxAge = DEFAULT_METADATA_MAX_AGE;

    Builder(PageTokens pageTokens) {
      this.pageTokens = pageTokens;
    }

    ReaderConfig build() {
      return new ReaderConfig(
          pageTokens,
          maxLimit,
          maxPageBytes,
          sortLimit,
          metaPrefixes,
          freshness,
          records,
          time,
          metadataMaxAge);
    }
  }
}
