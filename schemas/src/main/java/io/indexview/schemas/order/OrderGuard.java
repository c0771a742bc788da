package io.indexview.schemas.order;

import static io.indexview.schemas.change.SourceVersion.compareSequences;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.OrderGuard.Decision.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Decides which change of a primary record counts. Pure and thread-safe; the streams app and the
 * sources' indexes materialize the same history with it and reach the same entries, whether they
 * keep values or not.
 *
 * <p>A tombstone counts for the events of its retention, by the record times of both, and not for
 * as long as it happens to be stored. So the app and an index that lags, or removes it at another
 * time, decide alike. Both must be given the same retention.
 */
public final class OrderGuard {
  /**
   * Revisions from here on are not taken over: it is far above every clock, and low enough that
   * revisions can rise from there.
   */
  public static final long MAX_REVISION_FOUND = 1L << 62;

  private static final Duration MAX_LATENESS = Duration.ofDays(1);

  private final long retentionMs;

  /**
   * @param tombstoneRetention for how long a tombstone refuses older events
   */
  public OrderGuard(Duration tombstoneRetention) {
    this.retentionMs = tombstoneRetention.toMillis();
  }

  /** How long a tombstone refuses older events. */
  public Duration retention() {
    return Duration.ofMillis(retentionMs);
  }

  /**
   * Materializes one event in the entry of its key.
   *
   * <p>The new revision is the larger of {@code nowMs} and the stored revision + 1. An entry
   * remembers one version per epoch that it left, so their number is bounded by the epochs of the
   * source (store incarnations times shards; one for S3) and not by the length of the history.
   *
   * @param current null: no entry; what an expired tombstone knew of versions no longer counts
   * @param offset Kafka offset of the event
   * @param nowMs wall clock, ms since the epoch
   */
  public Decision decide(Entry current, ChangeEvent event, long offset, long nowMs) {
    Entry known = counts(current, event.timestampMs()) ? current : null;
    Verdict verdict = verdict(known, event);
    if (verdict == Verdict.APPLIED) {
      return new Decision(verdict, apply(current, known, event, offset, nowMs));
    }
    boolean isSeenAlive = isAdHoc(event) && event.op() != Op.DELETE;
    return new Decision(verdict, isSeenAlive ? touch(known, offset) : null);
  }

  /** Whether what an entry knows of versions counts for an event of a record time. */
  private boolean counts(Entry entry, long timestampMs) {
    return entry != null && !isExpired(entry, timestampMs);
  }

  private boolean isExpired(Entry entry, long timestampMs) {
    // Written so that no retention is too long for it.
    return entry.deleted()
        && timestampMs > entry.timestampMs()
        && timestampMs - entry.timestampMs() > retentionMs;
  }

  /**
   * Whether an entry is a tombstone that is expired for every event to come, so that it need not be
   * stored any more. Events may come a day later than their record times say, or later by the
   * retention where that is shorter. One that is unreadable is needed until it is read, and one
   * whose revision is ahead of the time until that comes: what took its place would begin below it.
   *
   * @param timestampMs no event to come is appended before, ms since the epoch
   */
  public boolean isRemovable(Entry entry, long timestampMs) {
    return !entry.unreadable()
        && timestampMs > entry.timestampMs()
        && timestampMs > entry.revision()
        && isExpired(entry, timestampMs - Math.min(retentionMs, MAX_LATENESS.toMillis()));
  }

  /**
   * The tombstone of a record that is gone without an event: a complete ad-hoc snapshot did not
   * name it. It refuses events that are not newer, but no snapshot read that finds the very version
   * or one of another epoch: the sources' indexes know nothing of the record, and a scan may have
   * missed it.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public static Entry inferredTombstone(Entry current, long nowMs) {
    return new Entry(
        current.version(),
        true,
        List.of(),
        revision(current, nowMs),
        current.offset(),
        nowMs,
        null,
        current.keySchemaId(),
        true,
        current.unreadableAt());
  }

  /**
   * The entry of a record after an event that nobody can read: what was known before, until an
   * event is applied. A record that was not known is kept as a tombstone that refuses no event.
   *
   * @param current null: no entry
   * @param offset Kafka offset of the event
   * @param timestampMs record time of the event, ms since the epoch
   * @param nowMs wall clock, ms since the epoch
   */
  public static Entry unreadable(Entry current, long offset, long timestampMs, long nowMs) {
    Entry known =
        current == null
            ? new Entry(null, true, List.of(), nowMs, offset, timestampMs, null)
            : current;
    return known.withUnreadableAt(offset);
  }

  /**
   * The entry of a record after an event that counts and is passed over: what is known of it is the
   * event's, so that an older one is stale, but the value is that of before, until another event is
   * applied, or this one after all.
   *
   * @param current null: no entry
   * @param next what the event makes of it, as decided
   */
  public static Entry passedOver(Entry current, Entry next) {
    return next.withValue(current == null ? null : current.value()).withUnreadableAt(next.offset());
  }

  /**
   * The revision of what takes the place of an entry.
   *
   * @param current null: no entry
   * @param nowMs wall clock, ms since the epoch
   */
  public static long revision(Entry current, long nowMs) {
    return current == null ? nowMs : Math.max(current.revision() + 1, nowMs);
  }

  /**
   * The entry of a record that nobody knows, while rows of it are removed: a tombstone that refuses
   * no event, so that whatever comes of the record has a later revision than the removal.
   *
   * @param above highest revision that was found in its rows; see {@link #raised}
   * @param nowMs wall clock, ms since the epoch
   */
  public static Entry ofNobody(long above, long nowMs) {
    return raised(new Entry(null, true, List.of(), 0, 0, nowMs, null), above, nowMs);
  }

  /**
   * The entry of a record whose rows are to be written anew: the same, with another revision.
   *
   * @param above highest revision that was found in its rows, from wherever it came; from {@link
   *     #MAX_REVISION_FOUND} on it counts for nothing
   * @param nowMs wall clock, ms since the epoch
   */
  public static Entry raised(Entry current, long above, long nowMs) {
    long higher = above < MAX_REVISION_FOUND ? above + 1 : 0;
    return current.withRevision(Math.max(revision(current, nowMs), higher));
  }

  private static Verdict verdict(Entry current, ChangeEvent event) {
    if (event.origin() instanceof Origin.Versioned versioned) {
      return ofChangeEvent(current, versioned.version(), event.op() == Op.DELETE);
    }
    if (event.origin() instanceof Origin.SnapshotRead read) {
      return isCurrent(current, read, event.op() == Op.DELETE && !read.unreadable())
          ? Verdict.APPLIED
          : Verdict.SUPERSEDED;
    }
    return Verdict.APPLIED;
  }

  private static Verdict ofChangeEvent(Entry current, SourceVersion version, boolean delete) {
    if (current == null || current.version() == null) {
      return Verdict.APPLIED;
    }
    SourceVersion known = current.version();
    if (!known.epoch().equals(version.epoch())) {
      SourceVersion highest = find(current.left(), version.epoch());
      return highest == null || compareSequences(version.sequence(), highest.sequence()) > 0
          ? Verdict.APPLIED
          : Verdict.STALE;
    }
    int order = compareSequences(version.sequence(), known.sequence());
    if (order == 0) {
      // A delete in the KV store carries the version that it removed.
      boolean isSure = current.deleted() && !current.inferred() && !current.isPassedOver();
      boolean isFound = !current.deleted() && current.isPassedOver();
      boolean tellsMore = delete ? !isSure : isFound || isFoundUnreadable(current);
      return tellsMore ? Verdict.APPLIED : Verdict.DUPLICATE;
    }
    return order > 0 ? Verdict.APPLIED : Verdict.STALE;
  }

  /** Whether a record was there when it was read, though it is kept as one that is gone. */
  private static boolean isFoundUnreadable(Entry entry) {
    return entry.inferred() && entry.unreadable();
  }

  /**
   * Whether one of the rules S1 to S5 of docs/architecture.md holds for a snapshot read.
   *
   * @param delete the record was not found
   */
  private static boolean isCurrent(Entry current, Origin.SnapshotRead read, boolean delete) {
    Origin.Base base = read.base();
    // S1: there is no entry.
    if (current == null) {
      return !base.present() || base.deleted() || read.adHoc();
    }
    // S2: the entry is what the index held.
    boolean isBase =
        base.present()
            && base.deleted() == current.deleted()
            && Objects.equals(base.version(), current.version());
    // S3, unless older: the index may have forgotten a tombstone that is still kept here, or never
    // known of it.
    boolean isForgotten = current.deleted() && (!base.present() || current.inferred());
    SourceVersion seen = read.version();
    SourceVersion known = current.version();
    if (seen == null || known == null || !seen.epoch().equals(known.epoch())) {
      // S4: the entry has missed an event.
      return isBase || isForgotten || read.adHoc() || hasMissed(current, base);
    }
    int order = compareSequences(seen.sequence(), known.sequence());
    // A tombstone counts above the value that it removed. So what was found, and removed before the
    // snapshot read came, does not come back, even if the index knew nothing of either.
    boolean removed = current.deleted() && !current.inferred();
    boolean older = order < 0 || (order == 0 && removed && !delete);
    // Bases do not tell a published removal from what could not be read before it.
    if (order == 0 && removed && read.unreadable()) {
      return false;
    }
    // S5: what was read is newer.
    return isBase || order > 0 || (!older && (isForgotten || read.adHoc()));
  }

  /**
   * Whether an entry was never as new as the base: then it is the entry that missed something, and
   * what was seen later is newer than all it knows.
   *
   * @param current null: no entry
   */
  private static boolean hasMissed(Entry current, Origin.Base base) {
    SourceVersion version = base.version();
    return version != null
        && (current == null
            || !isAsNew(current.version(), version)
                && !isAsNew(find(current.left(), version.epoch()), version));
  }

  private static boolean isAsNew(SourceVersion known, SourceVersion version) {
    return known != null
        && known.epoch().equals(version.epoch())
        && compareSequences(known.sequence(), version.sequence()) >= 0;
  }

  /**
   * @param stored gives the revision; null: no entry
   * @param known the same, or null if it does not count
   */
  private static Entry apply(
      Entry stored, Entry known, ChangeEvent event, long offset, long nowMs) {
    SourceVersion version = version(known, event.origin());
    // No event said that the record is gone, so whatever can be read of it counts.
    boolean isUnreadable = event.origin() instanceof Origin.SnapshotRead read && read.unreadable();
    return new Entry(
        version,
        event.op() == Op.DELETE,
        known == null || isAdHoc(event) ? List.of() : left(known, version),
        revision(stored, nowMs),
        offset,
        event.timestampMs(),
        event.value(),
        stored == null ? 0 : stored.keySchemaId(),
        isUnreadable,
        isUnreadable ? offset : Entry.READABLE);
  }

  /**
   * Version of an event. A snapshot read without one of its own is as new as the newest version
   * that is known.
   */
  private static SourceVersion version(Entry current, Origin origin) {
    if (origin instanceof Origin.Versioned versioned) {
      return versioned.version();
    }
    if (origin instanceof Origin.SnapshotRead read) {
      if (read.version() != null) {
        return read.version();
      }
      if (hasMissed(current, read.base())) {
        return read.base().version();
      }
      return current == null ? null : current.version();
    }
    return null;
  }

  /** The epochs left once the entry moves on to a version; the same list if it stays. */
  private static List<SourceVersion> left(Entry current, SourceVersion next) {
    SourceVersion known = current.version();
    boolean leaves =
        known != null
            && (!current.inferred() || isFoundUnreadable(current))
            && (next == null || !next.epoch().equals(known.epoch()));
    SourceVersion returns = next == null ? null : find(current.left(), next.epoch());
    boolean overtaken =
        returns != null && compareSequences(next.sequence(), returns.sequence()) >= 0;
    if (!leaves && !overtaken) {
      return current.left();
    }
    List<SourceVersion> left = new ArrayList<>(current.left());
    if (overtaken) {
      left.remove(returns);
    }
    if (leaves) {
      SourceVersion before = find(left, known.epoch());
      if (before == null) {
        left.add(known);
      } else if (compareSequences(known.sequence(), before.sequence()) > 0) {
        left.set(left.indexOf(before), known);
      }
    }
    return left;
  }

  private static SourceVersion find(List<SourceVersion> versions, String epoch) {
    for (SourceVersion version : versions) {
      if (version.epoch().equals(epoch)) {
        return version;
      }
    }
    return null;
  }

  /**
   * Whether an ad-hoc snapshot published the event. From then on entry and index remember the same:
   * an index that was begun anew knows nothing of epochs left before.
   */
  private static boolean isAdHoc(ChangeEvent event) {
    return event.origin() instanceof Origin.SnapshotRead read && read.adHoc();
  }

  /**
   * An ad-hoc snapshot deletes what it did not touch. A record that it found must stay even if a
   * newer change is known already; change events prove nothing, they may come from before.
   */
  private static Entry touch(Entry entry, long offset) {
    return new Entry(
        entry.version(),
        entry.deleted(),
        List.of(),
        entry.revision(),
        offset,
        entry.timestampMs(),
        entry.value(),
        entry.keySchemaId(),
        entry.inferred(),
        entry.isPassedOver() ? offset : entry.unreadableAt());
  }

  /**
   * What to do with an event.
   *
   * @param next the entry to store; null when nothing is to be stored. An event that is not applied
   *     may still leave one (an ad-hoc snapshot that found the record): revision and value are the
   *     old ones, so no row changes
   */
  public record Decision(Verdict verdict, Entry next) {
    public boolean applied() {
      return verdict == Verdict.APPLIED;
    }

    /** What the order guard made of an event. */
    public enum Verdict {
      APPLIED,
      /** A change event that is older than what is known. */
      STALE,
      /** A change event that is known already. */
      DUPLICATE,
      /**
       * A snapshot read that was overtaken between the scan and its arrival; the next scan will
       * tell.
       */
      SUPERSEDED
    }
  }
}
