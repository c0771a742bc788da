package io.indexview.client.read;

import io.indexview.client.read.target.ViewTarget;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Reads the metadata of views, and knows for a moment which of them are READY. Thread-safe. */
final class MetadataReads {
  private final ViewTarget target;
  private final Duration maxAge;
  private final Time time;

  /** What was seen last of each view there is, READY or not. */
  private final Map<String, Seen> last = new ConcurrentHashMap<>();

  MetadataReads(ViewTarget target, ReaderConfig config) {
    this.target = target;
    this.maxAge = config.metadataMaxAge();
    this.time = config.time();
  }

  /** What a target said. */
  static final class Seen {
    private final ViewMetadata metadata;
    private final long sinceNanos;
    private final Instant until;
    private volatile ServingGeneration serving;

    /**
     * @param metadata null: the view is not there any more
     * @param sinceNanos when it was not asked yet, by the monotonic clock
     * @param until when that is too long ago, by the clock of the day
     */
    private Seen(ViewMetadata metadata, long sinceNanos, Instant until) {
      this.metadata = metadata;
      this.sinceNanos = sinceNanos;
      this.until = until;
    }

    ViewMetadata metadata() {
      return metadata;
    }

    /**
     * The generation that serves, the same for all pages that go by this.
     *
     * @throws io.indexview.views.layout.LayoutException if its rows do not lie in the target
     */
    ServingGeneration serving(ViewTarget target) {
      ServingGeneration known = serving;
      if (known == null) {
        ViewGeneration generation = metadata.serving().orElseThrow();
        known = new ServingGeneration(generation, target.rows(generation));
        serving = known;
      }
      return known;
    }

    private boolean isReady() {
      return metadata != null
          && metadata.state() == ViewState.State.READY
          && metadata.serving().isPresent();
    }
  }

  /** What is known of a view that was READY and needs no read yet. */
  Optional<Seen> known(String view) {
    return Optional.ofNullable(last.get(view)).filter(Seen::isReady).filter(this::isRecent);
  }

  /** What the target says now. */
  Optional<Seen> read(String view) {
    long sinceNanos = time.nanoTime();
    Instant until = time.instant().plus(maxAge);
    Optional<Seen> seen =
        target.metadata(view).map(metadata -> new Seen(metadata, sinceNanos, until));
    if (seen.isPresent()) {
      last.merge(view, seen.get(), this::later);
    } else {
      // Names that never were a view's take no memory.
      Seen gone = new Seen(null, sinceNanos, until);
      last.computeIfPresent(view, (name, before) -> later(before, gone));
    }
    return seen;
  }

  /** See {@link ViewTarget#history}. */
  Optional<ViewTarget.History> history(ViewGeneration generation) {
    return target.history(generation);
  }

  /** See {@link ViewTarget#occupied}. */
  Optional<String> occupied(ViewGeneration generation) {
    return target.occupied(generation);
  }

  /**
   * An answer that took longer must not win over what was seen meanwhile. An old one loses whatever
   * its version: the target may have been restored from a backup.
   */
  private Seen later(Seen one, Seen other) {
    boolean areThere = one.metadata != null && other.metadata != null;
    if (areThere && one.metadata.version() != other.metadata.version()) {
      Seen higher = one.metadata.version() > other.metadata.version() ? one : other;
      if (isRecent(higher)) {
        return higher;
      }
    }
    return one.sinceNanos - other.sinceNanos > 0 ? one : other;
  }

  /** The monotonic clock stands still while a machine sleeps, and that of the day may be set. */
  boolean isRecent(Seen seen) {
    return time.nanoTime() - seen.sinceNanos < maxAge.toNanos()
        && time.instant().isBefore(seen.until);
  }
}
