package io.indexview.kvstore;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The keys of a record set: those below a prefix, with a chosen minor path. Large objects never are
 * among them.
 *
 * @param prefix leading run of the major path
 * @param minors whole minor paths, the empty one for keys without; none chosen: all are
 */
public record KvKeySet(KvKey prefix, Set<List<String>> minors) {
  private static final String NO_MINOR = "/-";
  private static final String MINOR_START = "/-/";
  private static final KvKey ANY = KvKey.ofMajor("any");

  public KvKeySet {
    Objects.requireNonNull(prefix, "prefix");
    if (!prefix.minor().isEmpty()) {
      throw new IllegalArgumentException(
          "prefix %s: use major components only, without /-/".formatted(prefix));
    }
    minors = Set.copyOf(minors);
  }

  /** The keys under a prefix, with any minor path. */
  public static KvKeySet under(KvKey prefix) {
    return new KvKeySet(prefix, Set.of());
  }

  /**
   * The keys under a prefix whose minor path has one of these texts, see {@link #minor}; any if
   * there are none.
   */
  public static KvKeySet of(KvKey prefix, Collection<String> minors) {
    return new KvKeySet(
        prefix, minors.stream().map(KvKeySet::minor).collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * A minor path as the keys that have it end in the store's text form: {@code /-/contact}, or
   * {@code /-} for keys without.
   *
   * @throws IllegalArgumentException saying what is wrong with the text
   * @throws KvStoreException.Refused if it is too long
   */
  public static List<String> minor(String text) {
    if (text.equals(NO_MINOR)) {
      return List.of();
    }
    if (!text.startsWith(MINOR_START)) {
      throw new IllegalArgumentException(
          "a minor path begins with /-/, as in /-/contact, or is /- for keys without one");
    }
    KvKey key = KvKey.fromString(ANY + text);
    if (key.isLob()) {
      throw new IllegalArgumentException("keys that end in .lob are large objects, never records");
    }
    return key.minor();
  }

  /** The texts of the chosen minor paths, in order. */
  public List<String> minorTexts() {
    return minors.stream().map(KvKeySet::text).sorted().toList();
  }

  private static String text(List<String> minor) {
    return minor.isEmpty()
        ? NO_MINOR
        : new KvKey(ANY.major(), minor).toString().substring(ANY.toString().length());
  }

  public boolean contains(KvKey key) {
    return prefix.isMajorPrefixOf(key) && hasMinorOf(key) && !key.isLob();
  }

  /** Whether the key's minor path is chosen. */
  public boolean hasMinorOf(KvKey key) {
    return minors.isEmpty() || minors.contains(key.minor());
  }

  /** Whether some key may belong to both. */
  public boolean overlaps(KvKeySet other) {
    boolean prefixes = prefix.isMajorPrefixOf(other.prefix) || other.prefix.isMajorPrefixOf(prefix);
    return prefixes
        && (minors.isEmpty()
            || other.minors.isEmpty()
            || !Collections.disjoint(minors, other.minors));
  }

  @Override
  public String toString() {
    return minors.isEmpty() ? prefix.toString() : prefix + " " + minorTexts();
  }
}
