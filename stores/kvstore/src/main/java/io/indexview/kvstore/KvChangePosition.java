package io.indexview.kvstore;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How far one came in the changes of a store: for each shard by its name. Its text is for keeping,
 * and for nobody else to read.
 */
public record KvChangePosition(SortedMap<String, Entry> shards) {
  private static final int MAX_TEXT = 64_000;
  private static final Pattern SHARD = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final Pattern PART =
      Pattern.compile("(" + SHARD.pattern() + "):(\\d{1,19}):(\\d{1,19}):([0-9a-f]{1,16})");

  /**
   * Position in one shard.
   *
   * @param resumeAt the number where to read on from: transactions that began there may still be
   *     open; at most {@code sequence}
   * @param sequence the number of the last change that is dealt with, at least 0
   * @param check tells that change from another one that got its number after a failure
   */
  public record Entry(long resumeAt, long sequence, long check) {
    public Entry {
      if (resumeAt < 0 || resumeAt > sequence) {
        throw new IllegalArgumentException(
            "resumeAt %d must be at least 0, and at most sequence %d."
                .formatted(resumeAt, sequence));
      }
    }

    /** Position after a change that leaves no transaction open. */
    public Entry(long sequence, long check) {
      this(sequence, sequence, check);
    }
  }

  /**
   * @throws IllegalArgumentException if the name of a shard is not made of letters, digits, dots,
   *     underscores and hyphens
   */
  public KvChangePosition {
    for (String shard : shards.keySet()) {
      if (!SHARD.matcher(shard).matches()) {
        throw new IllegalArgumentException("'%s' is no name of a shard.".formatted(shard));
      }
    }
    shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
  }

  /** Position in a store of one shard. */
  public static KvChangePosition of(String shard, Entry entry) {
    return new KvChangePosition(new TreeMap<>(Map.of(shard, entry)));
  }

  /**
   * What {@link #toText} wrote.
   *
   * @throws IllegalArgumentException naming the text and what is wrong with it
   */
  public static KvChangePosition parse(String text) {
    if (text.length() > MAX_TEXT) {
      throw new IllegalArgumentException(
          "A position of %,d characters is longer than any.".formatted(text.length()));
    }
    SortedMap<String, Entry> shards = new TreeMap<>();
    for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      Matcher matcher = PART.matcher(part);
      if (!matcher.matches()) {
        throw malformed(text, "'%s' is not shard:resumeAt:sequence:check".formatted(part));
      }
      if (shards.put(matcher.group(1), entry(text, matcher)) != null) {
        throw malformed(text, "shard %s comes twice".formatted(matcher.group(1)));
      }
    }
    return new KvChangePosition(shards);
  }

  private static Entry entry(String text, Matcher part) {
    try {
      return new Entry(
          Long.parseLong(part.group(2)),
          Long.parseLong(part.group(3)),
          Long.parseUnsignedLong(part.group(4), 16));
    } catch (NumberFormatException e) {
      throw malformed(text, "a number of '%s' is too large".formatted(part.group()));
    } catch (IllegalArgumentException e) {
      throw malformed(text, e.getMessage());
    }
  }

  private static IllegalArgumentException malformed(String text, String problem) {
    return new IllegalArgumentException(
        "Position '%s' in the changes of a store is malformed: %s.".formatted(text, problem));
  }

  /** Text of the position, in one line of ASCII without spaces. */
  public String toText() {
    return shards.entrySet().stream()
        .map(
            shard -> {
              Entry at = shard.getValue();
              return "%s:%d:%d:%x"
                  .formatted(shard.getKey(), at.resumeAt(), at.sequence(), at.check());
            })
        .collect(Collectors.joining(","));
  }

  @Override
  public String toString() {
    return toText();
  }
}
