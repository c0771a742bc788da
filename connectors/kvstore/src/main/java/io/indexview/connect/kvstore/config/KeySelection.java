package io.indexview.connect.kvstore.config;

import io.indexview.kvstore.KvKey;
import io.indexview.schemas.control.KeyScope;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Which keys of a store belong to a record set: those below a prefix, with a chosen minor path.
 * Large objects never do.
 *
 * @param prefix leading run of the major path
 * @param minors whole minor paths, the empty one for keys without; none chosen: all are
 */
public record KeySelection(KvKey prefix, Set<List<String>> minors) {
  private static final KvKey ANY = KvKey.ofMajor("any");

  public KeySelection {
    if (!prefix.minor().isEmpty()) {
      throw new IllegalArgumentException("The prefix %s has a minor path".formatted(prefix));
    }
    minors = Set.copyOf(Objects.requireNonNull(minors, "minors"));
  }

  /** Every minor path below a prefix. */
  public static KeySelection under(KvKey prefix) {
    return new KeySelection(prefix, Set.of());
  }

  /**
   * A minor path as the keys that have it end in the store's text form: {@code /-/contact}, or
   * {@code /-} for keys without.
   *
   * @throws IllegalArgumentException saying what is wrong with the text
   */
  public static List<String> minor(String text) {
    if (text.equals(KeyScope.NO_MINOR)) {
      return List.of();
    }
    if (!text.startsWith("/-/")) {
      throw new IllegalArgumentException(
          "a minor path begins with /-/, as in /-/contact, or is /- for keys without one");
    }
    KvKey key = KvKey.fromString(ANY + text);
    if (key.isLob()) {
      throw new IllegalArgumentException("keys that end in .lob are large objects, never records");
    }
    return key.minor();
  }

  private static String text(List<String> minor) {
    return minor.isEmpty()
        ? KeyScope.NO_MINOR
        : new KvKey(ANY.major(), minor).toString().substring(ANY.toString().length());
  }

  public boolean contains(KvKey key) {
    return prefix.isMajorPrefixOf(key)
        && (minors.isEmpty() || minors.contains(key.minor()))
        && !key.isLob();
  }

  /** Whether some key may belong to both. */
  public boolean overlaps(KeySelection other) {
    boolean prefixes = prefix.isMajorPrefixOf(other.prefix) || other.prefix.isMajorPrefixOf(prefix);
    return prefixes
        && (minors.isEmpty()
            || other.minors.isEmpty()
            || !Collections.disjoint(minors, other.minors));
  }

  /** The same in the words of the record set's topic. */
  public KeyScope scope() {
    return new KeyScope(
        prefix.toString(),
        KvKey.LOB_SUFFIX,
        minors.stream().map(KeySelection::text).sorted().toList());
  }

  @Override
  public String toString() {
    return minors.isEmpty() ? prefix.toString() : prefix + " " + scope().minors();
  }
}
