package io.indexview.kvstore;

import io.indexview.schemas.serde.Surrogates;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A key path: a major path of at least one component and a minor path of any length. Records that
 * share a major path live together and change atomically together. A component may hold any Unicode
 * text, nothing included.
 *
 * <p>The text form is the store's own: {@code /major/major/-/minor/minor}, each component escaped
 * ({@code /} as {@code %2F}, a component {@code -} as {@code %2D}, {@code %} as {@code %25}, …).
 * One key has exactly one text that {@link #toString()} writes; {@link #fromString} also takes
 * texts that escape more than they need to.
 *
 * <p>The natural order is the store's order inside one partition: component by component, a path
 * before its extensions, minor paths before longer major paths.
 */
public final class KvKey implements Comparable<KvKey> {
  /** The longest key that the store takes, in bytes of its serialized form. */
  public static final int MAX_SERIALIZED_BYTES = 32_767;

  /** The ending of the last component of a large object's key. */
  public static final String LOB_SUFFIX = ".lob";

  private final List<String> major;
  private final List<String> minor;
  private final int serializedLength;

  /**
   * Keys are looked up again and again on their way to the store, those that were read hardly ever.
   * 0: not known yet; threads that find it out at once find the same.
   */
  private int hash;

  /**
   * @param major the components that place the record, at least one
   * @param minor the components below them, possibly none
   * @throws IllegalArgumentException if the major path is empty or a component is null or not valid
   *     Unicode
   * @throws KvStoreException.Refused if the serialized key is longer than {@link
   *     #MAX_SERIALIZED_BYTES}
   */
  public KvKey(List<String> major, List<String> minor) {
    this.major = checked("major", major);
    this.minor = checked("minor", minor);
    if (this.major.isEmpty()) {
      throw new IllegalArgumentException("A key needs at least one major component.");
    }
    this.serializedLength = KeyOrder.serializedLength(this.major, this.minor);
    if (serializedLength > MAX_SERIALIZED_BYTES) {
      throw new KvStoreException.Refused(
          "Key of %,d bytes is longer than the %,d bytes that the store takes: %s"
              .formatted(serializedLength, MAX_SERIALIZED_BYTES, abbreviated(this.major)));
    }
  }

  /** The components that place the record, at least one. */
  public List<String> major() {
    return major;
  }

  /** The components below the major path, possibly none. */
  public List<String> minor() {
    return minor;
  }

  /** A key without a minor path. */
  public static KvKey ofMajor(String... major) {
    return new KvKey(List.of(major), List.of());
  }

  /**
   * Parses the text form.
   *
   * @throws IllegalArgumentException naming the text, the position and what is wrong with it
   * @throws KvStoreException.Refused if the key is too long
   */
  public static KvKey fromString(String text) {
    return KeyText.parse(text);
  }

  /**
   * The text form of the key that has these paths, without making it: whether they are those of a
   * key is not checked.
   */
  public static String text(List<String> major, List<String> minor) {
    return KeyText.format(major, minor);
  }

  /** The key of the same major path with one more minor component. */
  public KvKey child(String minorComponent) {
    List<String> longer = new ArrayList<>(minor.size() + 1);
    longer.addAll(minor);
    longer.add(minorComponent);
    return new KvKey(major, longer);
  }

  /** The key of the major path alone. */
  public KvKey majorKey() {
    return minor.isEmpty() ? this : new KvKey(major, List.of());
  }

  /** How long the store writes the key, in bytes. */
  public int serializedLength() {
    return serializedLength;
  }

  /** The last component: of the minor path, or of the major path if there is none. */
  public String lastComponent() {
    List<String> path = minor.isEmpty() ? major : minor;
    return path.get(path.size() - 1);
  }

  /**
   * Whether the key belongs to a large object: its last component ends in {@value #LOB_SUFFIX}.
   * Scans return such keys, with a value that is internal to the store; it must not be read as a
   * record, and the key cannot be written through {@link KvStore}.
   */
  public boolean isLob() {
    return lastComponent().endsWith(LOB_SUFFIX);
  }

  /** Whether the other key's major path starts with this key's, and this key has no minor path. */
  public boolean isMajorPrefixOf(KvKey other) {
    return minor.isEmpty()
        && other.major.size() >= major.size()
        && other.major.subList(0, major.size()).equals(major);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvKey that
        && serializedLength == that.serializedLength
        && major.equals(that.major)
        && minor.equals(that.minor);
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = 31 * major.hashCode() + minor.hashCode();
      hash = known;
    }
    return known;
  }

  @Override
  public int compareTo(KvKey other) {
    int difference = KeyOrder.comparePaths(major, other.major);
    return difference != 0 ? difference : KeyOrder.comparePaths(minor, other.minor);
  }

  @Override
  public String toString() {
    return KeyText.format(major, minor);
  }

  private static List<String> checked(String name, List<String> path) {
    Objects.requireNonNull(path, name);
    for (int i = 0; i < path.size(); i++) {
      String component = path.get(i);
      if (component == null) {
        throw new IllegalArgumentException(
            "Component %d of the %s path is missing.".formatted(i + 1, name));
      }
      if (Surrogates.anyAlone(component)) {
        throw new IllegalArgumentException(
            "Component %d of the %s path is not valid Unicode: it holds half a surrogate pair."
                .formatted(i + 1, name));
      }
    }
    return List.copyOf(path);
  }

  private static String abbreviated(List<String> major) {
    String first = String.join("/", major);
    return first.length() <= 60 ? "/" + first : "/" + first.substring(0, 60) + "…";
  }
}
