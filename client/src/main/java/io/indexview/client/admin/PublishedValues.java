package io.indexview.client.admin;

import io.indexview.kvstore.value.ValueConfig;
import io.indexview.schemas.control.StoredValues;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How the records of record sets are written in the KV store, as the sources that scan them say it.
 * What sources said is asked for again when it is 5 s old: to give a running source another format
 * takes longer. Safe for use by several threads.
 */
public final class PublishedValues {
  private static final Duration TRUSTED = Duration.ofSeconds(5);

  private final Supplier<List<SourceStatus>> sources;
  private final Map<StoredValues, ValueConfig> parsed = new HashMap<>();
  private volatile Said said = new Said(List.of(), System.nanoTime());

  /** What sources said, and until when that is taken for true, in ns of this process. */
  private record Said(List<SourceStatus> sources, long untilNs) {}

  /**
   * @param sources as {@link SourceAdmin#list}
   */
  public PublishedValues(Supplier<List<SourceStatus>> sources) {
    this.sources = sources;
  }

  /**
   * The values of a record set; the same instance as long as they are the same.
   *
   * @param topic the primary-change topic
   * @throws ValuesUnknownException if no source says it, or not all say the same
   */
  public ValueConfig of(String topic) {
    List<SourceStatus> speaking =
        known().stream()
            .filter(source -> source.topic().equals(topic) && source.values().isPresent())
            .toList();
    if (speaking.isEmpty()) {
      throw new ValuesUnknownException(
          "no KV store source says how it reads the records of topic %s: start the one that scans them"
              .formatted(topic));
    }
    SourceStatus first = speaking.get(0);
    for (SourceStatus other : speaking) {
      if (!other.values().equals(first.values())) {
        throw new ValuesUnknownException(
            "sources %s (%s) and %s (%s) of topic %s read values in another way; give them the same format and schemas, or retire one"
                .formatted(
                    first.source(),
                    first.values().orElseThrow().format(),
                    other.source(),
                    other.values().orElseThrow().format(),
                    topic));
      }
    }
    return parsed(first);
  }

  private List<SourceStatus> known() {
    Said last = said;
    if (System.nanoTime() - last.untilNs() >= 0) {
      last = new Said(sources.get(), System.nanoTime() + TRUSTED.toNanos());
      // That nobody has spoken yet is over soon.
      if (last.sources().stream().anyMatch(source -> source.values().isPresent())) {
        said = last;
      }
    }
    return last.sources();
  }

  private synchronized ValueConfig parsed(SourceStatus source) {
    StoredValues values = source.values().orElseThrow();
    ValueConfig known = parsed.get(values);
    if (known == null) {
      try {
        known = ValueConfig.of(values);
      } catch (IllegalArgumentException e) {
        throw new ValuesUnknownException(
            "what source %s says of its values is not understood here: %s; is it of a newer release?"
                .formatted(source.source(), e.getMessage()));
      }
      parsed.put(values, known);
    }
    return known;
  }

  /**
   * Thrown while it is not known how the records of a record set are written in the KV store, so
   * that they are neither read nor written there. The message says what helps.
   */
  public static final class ValuesUnknownException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ValuesUnknownException(String message) {
      super(message);
    }
  }
}
