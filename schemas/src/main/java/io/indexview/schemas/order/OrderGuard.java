package io.indexview.schemas.order;

import static io.indexview.schemas.change.SourceVersion.compareSequences;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Decides which change of a primary record counts. Pure and thread-safe; the streams app and the
 * sources' indexes fold the same history with it and reach the same entries, whether they keep
 * values or not.
 */
public final class OrderGuard {

  /**
   * Folds one event into the entry of its key.
   *
   * <p>The new revision is the larger of {@code nowMs} and the stored revision + 1. An entry
   * remembers one version per epoch that it left, so their number is bounded by the epochs of the
   * source (store incarnations times shards; one for S3) and not by the length of the history.
   *
   * @param current null: no entry
   * @param offset Kafka offset of the event
   * @param nowMs wall clock, ms since the epoch
   */
  public Decision decide(Entry current, ChangeEvent event, long offset, long nowMs) {
    Verdict verdict = verdict(current, event);
    if (verdict == Verdict.APPLIED) {
      return new Decision(verdict, apply(current, event, offset, nowMs));
    }
    return new Decision(verdict, isSeenAlive(event) ? touch(current, offset) : null);
  }

  /**
   * The marker of a live record that its sources do not have any more, as a resnapshot tells that
   * published all others. It keeps version and offset, so that older events stay refused.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public Entry unnamed(Entry current, long nowMs) {
    return new Entry(
        current.version(),
        true,
        current.left(),
        revision(current, nowMs),
        current.offset(),
        nowMs,
        null,
        current.keySchemaId());
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

  private static Verdict verdict(Entry current, ChangeEvent event) {
    if (event.origin() instanceof Origin.Told told) {
      return told(current, told.version(), event.op() == Op.DELETE);
    }
    if (event.origin() instanceof Origin.Observed observed) {
      return isCurrent(current, observed, event.op() == Op.DELETE)
          ? Verdict.APPLIED
          : Verdict.SUPERSEDED;
    }
    return Verdict.APPLIED;
  }

  private static Verdict told(Entry current, SourceVersion version, boolean delete) {
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
      return delete && !current.deleted() ? Verdict.APPLIED : Verdict.DUPLICATE;
    }
    return order > 0 ? Verdict.APPLIED : Verdict.STALE;
  }

  private static boolean isCurrent(Entry current, Origin.Observed observed, boolean delete) {
    Origin.Base base = observed.base();
    if (current == null) {
      return !base.present() || base.deleted() || observed.force();
    }
    boolean isBase =
        base.present()
            && base.deleted() == current.deleted()
            && Objects.equals(base.version(), current.version());
    // The index may have forgotten a marker that is still kept here.
    boolean isForgotten = !base.present() && current.deleted();
    SourceVersion seen = observed.version();
    SourceVersion known = current.version();
    if (seen == null || known == null || !seen.epoch().equals(known.epoch())) {
      return isBase || isForgotten || observed.force() || hasMissed(current, base);
    }
    int order = compareSequences(seen.sequence(), known.sequence());
    // A marker counts above the value that it removed. So what was found, and removed before the
    // observation came, does not come back, even if the index knew nothing of either.
    boolean older = order < 0 || (order == 0 && current.deleted() && !delete);
    return isBase || order > 0 || (!older && (isForgotten || observed.force()));
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

  private static Entry apply(Entry current, ChangeEvent event, long offset, long nowMs) {
    SourceVersion version = version(current, event.origin());
    return new Entry(
        version,
        event.op() == Op.DELETE,
        current == null ? List.of() : left(current, version),
        revision(current, nowMs),
        offset,
        event.timestampMs(),
        event.value(),
        current == null ? 0 : current.keySchemaId());
  }

  /** Without a version of its own an observation is as new as the newest that is known. */
  private static SourceVersion version(Entry current, Origin origin) {
    if (origin instanceof Origin.Told told) {
      return told.version();
    }
    if (origin instanceof Origin.Observed observed) {
      if (observed.version() != null) {
        return observed.version();
      }
      if (hasMissed(current, observed.base())) {
        return observed.base().version();
      }
      return current == null ? null : current.version();
    }
    return null;
  }

  /** The epochs left once the entry moves on to a version; the same list if it stays. */
  private static List<SourceVersion> left(Entry current, SourceVersion next) {
    SourceVersion known = current.version();
    boolean leaves = known != null && (next == null || !next.epoch().equals(known.epoch()));
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
   * A resnapshot deletes what it did not touch. A record that it found must stay even if a newer
   * change is known already; told events prove nothing, they may come from before.
   */
  private static boolean isSeenAlive(ChangeEvent event) {
    return event.op() != Op.DELETE
        && event.origin() instanceof Origin.Observed observed
        && observed.force();
  }

  private static Entry touch(Entry entry, long offset) {
    return new Entry(
        entry.version(),
        entry.deleted(),
        entry.left(),
        entry.revision(),
        offset,
        entry.timestampMs(),
        entry.value(),
        entry.keySchemaId());
  }
}
