package io.indexview.connect.common.source;

import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.Scan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Scans as Connect stores them in a source's offset. */
public final class ScanFields {
  private static final String STARTED_AT = "startedAt";
  private static final String ENDED_AT = "endedAt";
  private static final String RECORDS = "records";
  private static final String AD_HOC = "adHoc";
  private static final String REQUEST = "request";
  private static final String SCOPE = "scope";
  private static final String SCOPE_EXCEPT = "scopeExcept";
  private static final String SCOPE_MINORS = "scopeMinors";
  private static final String BEGINS = "begins";
  private static final String ENDS = "ends";
  private static final String PAIRS = "partition:offset,partition:offset";

  /** The text form of keys escapes it. */
  private static final String MINOR_SEPARATOR = " ";

  private final String prefix;
  private final String number;

  /**
   * @param prefix of every field
   * @param number field of the scan's number, without the prefix
   */
  public ScanFields(String prefix, String number) {
    this.prefix = prefix;
    this.number = number;
  }

  /** Adds the fields of a scan; none if it is null. */
  public void put(Scan scan, Map<String, Object> offset) {
    if (scan == null) {
      return;
    }
    offset.put(prefix + number, scan.number());
    offset.put(prefix + STARTED_AT, scan.startedAtMs());
    offset.put(prefix + ENDED_AT, scan.endedAtMs());
    offset.put(prefix + RECORDS, scan.records());
    offset.put(prefix + AD_HOC, scan.adHoc());
    offset.put(prefix + REQUEST, scan.request());
    scan.scope().ifPresent(scope -> put(scope, offset));
    offset.put(prefix + BEGINS, text(scan.begins()));
    offset.put(prefix + ENDS, text(scan.ends()));
  }

  private void put(KeyScope scope, Map<String, Object> offset) {
    offset.put(prefix + SCOPE, scope.prefix());
    if (scope.exceptEnding() != null) {
      offset.put(prefix + SCOPE_EXCEPT, scope.exceptEnding());
    }
    if (!scope.minors().isEmpty()) {
      offset.put(prefix + SCOPE_MINORS, String.join(MINOR_SEPARATOR, scope.minors()));
    }
  }

  /** Whether the offset holds a scan. */
  public boolean isIn(Map<String, ?> offset) {
    return offset.get(prefix + number) != null;
  }

  /**
   * The scan in an offset. Without {@code scope} it is of everything, without {@code request} of
   * none, and without {@code adHoc} it is no ad-hoc snapshot; {@code begins} may be missing, too.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  public Scan get(Map<String, ?> offset) {
    Map<Integer, Long> ends = offsets(offset, ENDS);
    boolean tellsBegins = offset.containsKey(prefix + BEGINS);
    Map<Integer, Long> begins = tellsBegins ? offsets(offset, BEGINS) : Map.of();
    if (tellsBegins && !begins.keySet().equals(ends.keySet())) {
      throw wrong(offset, ENDS, "the partitions of " + prefix + BEGINS);
    }
    return new Scan(
        number(offset, number),
        number(offset, STARTED_AT),
        number(offset, ENDED_AT),
        number(offset, RECORDS),
        offset.containsKey(prefix + AD_HOC) && flag(offset, AD_HOC),
        offset.containsKey(prefix + REQUEST) ? number(offset, REQUEST) : 0,
        scope(offset),
        begins,
        ends);
  }

  private Optional<KeyScope> scope(Map<String, ?> offset) {
    String start = text(offset, SCOPE);
    if (start == null) {
      return Optional.empty();
    }
    String minors = text(offset, SCOPE_MINORS);
    return Optional.of(
        new KeyScope(
            start,
            text(offset, SCOPE_EXCEPT),
            minors == null ? List.of() : List.of(minors.split(MINOR_SEPARATOR))));
  }

  /** Null: it is not there. */
  private String text(Map<String, ?> offset, String field) {
    Object value = offset.get(prefix + field);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(offset, field, "a text");
  }

  private boolean flag(Map<String, ?> offset, String field) {
    if (offset.get(prefix + field) instanceof Boolean value) {
      return value;
    }
    throw wrong(offset, field, "true or false");
  }

  private long number(Map<String, ?> offset, String field) {
    // Connect hands small numbers back as Integer or Long, as its converter sees fit.
    if (offset.get(prefix + field) instanceof Number value && value.longValue() >= 0) {
      return value.longValue();
    }
    throw wrong(offset, field, "a number that is not negative");
  }

  private static String text(Map<Integer, Long> offsets) {
    return new TreeMap<>(offsets)
        .entrySet().stream()
            .map(entry -> entry.getKey() + ":" + entry.getValue())
            .collect(Collectors.joining(","));
  }

  private Map<Integer, Long> offsets(Map<String, ?> offset, String field) {
    if (!(offset.get(prefix + field) instanceof String text)) {
      throw wrong(offset, field, PAIRS);
    }
    Map<Integer, Long> offsets = new HashMap<>();
    for (String pair : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      String[] parts = pair.split(":", -1);
      try {
        if (parts.length != 2) {
          throw wrong(offset, field, PAIRS);
        }
        offsets.put(Integer.valueOf(parts[0]), Long.valueOf(parts[1]));
      } catch (NumberFormatException e) {
        throw wrong(offset, field, PAIRS);
      }
    }
    return offsets;
  }

  private IllegalArgumentException wrong(Map<String, ?> offset, String field, String expected) {
    return new IllegalArgumentException(
        "source offset field %s: %s; use %s"
            .formatted(
                prefix + field, Objects.toString(offset.get(prefix + field), "missing"), expected));
  }
}
