package io.indexview.verification.live;

import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.control.ViewVerification.Unexpected;
import io.indexview.verification.TargetReader.Orphaned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What a verification has found up to now. Not safe for use by several threads. */
final class Findings {
  /** Most cases of each kind. */
  static final int MAX_CASES = 250;

  /** A record of the topic takes a megabyte. */
  private static final int MAX_CASES_BYTES = 500_000;

  private static final int CASE_BYTES = 50;

  /** Cases of rows, by the ids of these. */
  private final Map<String, Case> cases = new LinkedHashMap<>();

  private final Map<String, Case> unexpectedCases = new LinkedHashMap<>();
  private long scanned;
  private long right;
  private long missing;
  private long extra;
  private long different;

  /** Counts of unexpected records by kind, expired tombstones included. */
  private final Map<Kind, Long> unexpected = new EnumMap<>(Kind.class);

  private long tombstones;
  private long unjudged;
  private long repaired;
  private long removed;
  private long removedTombstones;
  private long orphaned;

  /**
   * What a scan found that was not compared yet.
   *
   * @param rows as of {@link Counts#scanned}
   * @param unexpected by kind, with expired tombstones
   * @param firstUnexpected the first ones
   */
  record Scanned(
      long rows, long tombstones, Map<Kind, Long> unexpected, List<UnexpectedRow> firstUnexpected) {
    Scanned {
      unexpected = Map.copyOf(unexpected);
      firstUnexpected = List.copyOf(firstUnexpected);
    }
  }

  /** Something that is no row, or an expired tombstone. */
  record UnexpectedRow(String id, Kind kind, String reason) {}

  Scanned ofScan() {
    return new Scanned(
        scanned,
        tombstones,
        unexpected,
        unexpectedCases.values().stream()
            .map(one -> new UnexpectedRow(one.key(), one.kind(), one.cause()))
            .toList());
  }

  /** Takes over what an earlier scan found. */
  void goOnFrom(Scanned earlier) {
    scanned = earlier.rows();
    tombstones = earlier.tombstones();
    earlier.firstUnexpected().forEach(one -> unexpected(one.id(), one.kind(), one.reason()));
    unexpected.putAll(earlier.unexpected());
  }

  Counts counts() {
    return new Counts(
        scanned,
        right,
        missing,
        extra,
        different,
        new Unexpected(
            unexpected(Kind.UNDECODABLE),
            unexpected(Kind.OTHER_GENERATION),
            unexpected(Kind.UNVERSIONED),
            removed),
        new Tombstones(tombstones, unexpected(Kind.EXPIRED_TOMBSTONE), removedTombstones),
        unjudged,
        repaired,
        orphaned);
  }

  private long unexpected(Kind kind) {
    return unexpected.getOrDefault(kind, 0L);
  }

  /** The first {@value #MAX_CASES} of each kind, as far as a record takes them. */
  List<Case> cases() {
    List<Case> fitting = new ArrayList<>();
    int bytes = 0;
    for (Case one :
        Stream.concat(cases.values().stream(), unexpectedCases.values().stream()).toList()) {
      bytes += length(one.key()) + length(one.primaryKey()) + length(one.cause()) + CASE_BYTES;
      if (bytes > MAX_CASES_BYTES) {
        break;
      }
      fitting.add(one);
    }
    return fitting;
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  void scanned() {
    scanned++;
  }

  void right() {
    right++;
  }

  void tombstone() {
    tombstones++;
  }

  /** A tombstone that should have been removed. */
  void expiredTombstone(String id, String reason) {
    tombstones++;
    unexpected(id, Kind.EXPIRED_TOMBSTONE, reason);
  }

  void orphaned(List<Orphaned> found) {
    orphaned += found.size();
    OptionalLong none = OptionalLong.empty();
    for (Orphaned one : found) {
      unexpectedCases.put(
          one.id(), new Case(one.kind(), one.id(), "", none, none, one.reason(), false));
    }
  }

  void unjudged(long rows) {
    unjudged += rows;
  }

  void unexpected(String id, Kind kind, String reason) {
    if (unexpected.merge(kind, 1L, Long::sum) <= MAX_CASES) {
      OptionalLong none = OptionalLong.empty();
      unexpectedCases.put(id, new Case(kind, id, "", none, none, reason, false));
    }
  }

  /** What was unexpected, or an expired tombstone, is no longer there. */
  void removed(String id, Kind kind) {
    if (kind == Kind.EXPIRED_TOMBSTONE) {
      removedTombstones++;
    } else {
      removed++;
    }
    unexpectedCases.computeIfPresent(id, (unused, found) -> found.asRepaired());
  }

  void wrong(String id, Optional<RowImage> expected, Optional<RowImage> actual) {
    if (expected.isEmpty()) {
      extra++;
      add(extra, Kind.EXTRA, id, expected, actual);
    } else if (actual.isEmpty()) {
      missing++;
      add(missing, Kind.MISSING, id, expected, actual);
    } else {
      different++;
      add(different, Kind.DIFFERENT, id, expected, actual);
    }
  }

  /** A row that was wrong is right now. */
  void repaired(String id) {
    repaired++;
    cases.computeIfPresent(id, (unused, found) -> found.asRepaired());
  }

  /**
   * @param ofKind how many of its kind there are with it
   */
  private void add(
      long ofKind, Kind kind, String id, Optional<RowImage> expected, Optional<RowImage> actual) {
    if (ofKind <= MAX_CASES) {
      OptionalLong should = RowImage.revision(expected);
      OptionalLong is = RowImage.revision(actual);
      String primaryKey = expected.or(() -> actual).map(RowImage::primaryKey).orElse("");
      String cause =
          kind == Kind.MISSING && isUnexpected(id)
              ? "something else lies in its place"
              : cause(kind, should, is);
      cases.put(id, new Case(kind, id, primaryKey, should, is, cause, false));
    }
  }

  /** Whether a case says so. */
  private boolean isUnexpected(String id) {
    Case found = unexpectedCases.get(id);
    return found != null && found.kind() != Kind.EXPIRED_TOMBSTONE;
  }

  private static String cause(Kind kind, OptionalLong should, OptionalLong is) {
    return switch (kind) {
      case MISSING -> "its last write was lost, or somebody else deleted it";
      case EXTRA -> "its deletion was lost, or somebody else wrote it";
      case UNDECODABLE,
          OTHER_GENERATION,
          UNVERSIONED,
          EXPIRED_TOMBSTONE,
          ORPHANED_ROWS,
          ORPHANED_METADATA ->
          throw new IllegalArgumentException(kind + " has a reason of its own");
      case DIFFERENT -> {
        if (should.isEmpty() || is.isEmpty()) {
          yield "it holds other values";
        }
        int order = Long.compare(is.getAsLong(), should.getAsLong());
        yield order < 0
            ? "an older state of it: its last write was lost"
            : order > 0
                ? "a state that the app did not derive: somebody else wrote it"
                : "somebody else wrote its values";
      }
    };
  }
}
