package io.indexview.views.layout;

import io.indexview.schemas.hash.Sha256;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvPath.PrimaryKeyPath;
import io.indexview.views.layout.KvRowValue.KvListValue;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Rows of one generation in the KV store. Fields are taken by name from a function, so that Avro
 * records ({@code record::get}), Connect structs ({@code struct::get}) and maps all fit.
 * Thread-safe.
 *
 * <p>Key of a row: {@code /<prefix>/<index name>/<value>.../-/<value>.../<primary key>}: the shard
 * key's values in the major path, the others in the minor path. The primary key's own steps follow
 * in key-only rows, a suffix made of its hash in key/value rows.
 */
public final class KvLayout {
  /** Longest key that the store takes, in bytes as it is stored. */
  public static final int MAX_KEY_BYTES = 32_767;

  /** What ends the keys that the store keeps for large objects. */
  public static final String LARGE_OBJECT_SUFFIX = ".lob";

  private static final int PARENT_COMPONENTS = 2;

  /** Keeps the record of a list below its values, as all other rows are. */
  private static final String LIST_COMPONENT = "list";

  private final ViewGeneration generation;
  private final Target.Kv target;
  private final RowKey rowKey;
  private final KvRowValue rowValue;
  private final KvListValue listValue;
  private final List<String> parent;
  private final int inMajor;
  private final int inMinor;

  private KvLayout(ViewGeneration generation, Target.Kv target, ViewFields fields) {
    this.generation = generation;
    this.target = target;
    this.rowKey = new RowKey(fields);
    this.rowValue = new KvRowValue(fields.values(), target.primaryKeyForm());
    this.listValue = new KvListValue(rowValue);
    this.parent = List.of(target.prefix(), generation.storeName());
    this.inMajor = generation.definition().shardKeyLength();
    this.inMinor = rowKey.size() - inMajor;
  }

  /**
   * The layout of a generation.
   *
   * @throws LayoutException if its target is not the KV store
   */
  public static KvLayout of(ViewGeneration generation) {
    if (generation.definition().target() instanceof Target.Kv target) {
      return new KvLayout(generation, target, generation.fields());
    }
    throw new LayoutException(
        "view \"%s\" has target %s, not kv"
            .formatted(generation.view(), generation.definition().target().type()));
  }

  public String view() {
    return generation.view();
  }

  /**
   * The key of a row.
   *
   * @param key fields of the row key, {@code _primaryKey} among them
   * @throws LayoutException if the key is longer than the store takes
   */
  public KvPath path(Function<String, ?> key) {
    List<String> values = rowKey.components(key);
    String primaryKey = RowKey.primaryKey(key);
    List<String> major = new ArrayList<>(parent);
    major.addAll(values.subList(0, inMajor));
    List<String> minor = new ArrayList<>(values.subList(inMajor, values.size()));
    switch (target.layout()) {
      case KEY_ONLY -> minor.addAll(PrimaryKeyPath.split(primaryKey));
      case KEY_VALUE -> minor.add(Suffix.ofThread().of(primaryKey));
      case LIST -> minor.add(LIST_COMPONENT);
    }
    KvPath path = new KvPath(major, minor);
    int size = path.storedSize();
    if (size > MAX_KEY_BYTES) {
      throw new LayoutException(
          ("the row's key takes %d bytes, the store takes %d;"
                  + " index shorter fields, or use layout: key-value for long primary keys")
              .formatted(size, MAX_KEY_BYTES));
    }
    return path;
  }

  /**
   * Refuses a key that the store takes no record of. Readers have no use for it: a view topic may
   * hold such a row.
   *
   * @throws LayoutException if it is one of large objects
   */
  public static void requireWritable(KvPath path) {
    List<String> minor = path.minor();
    if (minor.get(minor.size() - 1).endsWith(LARGE_OBJECT_SUFFIX)) {
      throw new LayoutException(
          "the row's key ends in \"%s\", which the store keeps for large objects; use layout: key-value"
              .formatted(LARGE_OBJECT_SUFFIX));
    }
  }

  private boolean isKeyOnly() {
    return target.layout() == Target.KvRows.KEY_ONLY;
  }

  /**
   * The stored value of a row that has its record for itself: empty for key-only rows, else JSON.
   */
  public byte[] value(Function<String, ?> key, Function<String, ?> value, long revision) {
    return isKeyOnly()
        ? new byte[0]
        : rowValue.row(RowKey.primaryKey(key), value, revision, isList());
  }

  /**
   * The stored value of a tombstone.
   *
   * @throws LayoutException for key-only rows, which have none
   */
  public byte[] tombstone(Function<String, ?> key, long revision) {
    if (isKeyOnly()) {
      throw new LayoutException(
          "view \"%s\": key-only rows hold no revision, so they have no tombstones"
              .formatted(generation.view()));
    }
    return rowValue.tombstone(RowKey.primaryKey(key), revision, isList());
  }

  /**
   * Whether rows share records. Such a record is changed only by what {@link #content} makes of it.
   */
  public boolean isList() {
    return target.layout() == Target.KvRows.LIST;
  }

  /** Whether rows hold a revision, by which an older change is known from a newer one. */
  public boolean holdsRevisions() {
    return !isKeyOnly();
  }

  /**
   * What a record of the store holds, to be changed.
   *
   * @param value the record's value; null: there is no record
   * @param tombstonesFrom revision from which on tombstones count; a change happened no sooner than
   *     its revision says, taken as ms since the epoch
   * @param maxBytes that a list may take when it grows
   * @throws LayoutException if the record is no row of this generation
   */
  public KvContent content(byte[] value, long tombstonesFrom, int maxBytes) {
    return isList()
        ? new KvListContent(value, tombstonesFrom, target.maxElements(), maxBytes)
        : new KvRowContent(value, tombstonesFrom);
  }

  /**
   * What is left of a record of the store without its old tombstones.
   *
   * @param before revision from which on tombstones stay
   * @return the value itself if it has none; empty if nothing is left
   * @throws LayoutException if the record is no row of this generation
   */
  public Optional<byte[]> withoutTombstones(byte[] value, long before) {
    return content(value, before, Integer.MAX_VALUE).value();
  }

  /**
   * The row of a record read back.
   *
   * @throws LayoutException if it holds none of this generation, or several
   */
  public StoredRow row(KvPath path, byte[] value) {
    return new MajorPath(path.major()).row(path.minor(), value);
  }

  /**
   * The rows of a record read back, those of a list in the order of their primary keys.
   *
   * @throws LayoutException if it holds no rows of this generation
   */
  public List<StoredRow> rows(KvPath path, byte[] value) {
    MajorPath place = new MajorPath(path.major());
    return isList()
        ? place.listedRows(path.minor(), value)
        : List.of(place.row(path.minor(), value));
  }

  /**
   * Requires a record to hold rows by its key, and by their primary keys and revisions. They are
   * rows of this generation also if somebody has changed a value, so that {@link #rows} refuses
   * them.
   *
   * @throws LayoutException if it holds no rows of this generation
   */
  public void requireRows(KvPath path, byte[] value) {
    new MajorPath(path.major()).requireRows(path.minor(), value);
  }

  /**
   * Where rows lie whose keys share all of their major path.
   *
   * @throws LayoutException if a component of it is no value of its field
   */
  public MajorPath majorPath(List<String> major) {
    return new MajorPath(major);
  }

  /**
   * Whether a record surely is one live row, seen without decoding it. Of what this layout makes it
   * is, unless rows share records, hold their primary key as components, or values that are no
   * scalars, infinite or of a year without four digits; of another row it may be or not.
   */
  public boolean isPlainRow(KvPath path, byte[] value) {
    List<String> major = path.major();
    List<String> minor = path.minor();
    return !isList()
        && isOfThis(major)
        && minor.size() > inMinor
        && rowKey.isKey(major, PARENT_COMPONENTS, 0, inMajor)
        && rowKey.isKey(minor, 0, inMajor, inMinor)
        && (isKeyOnly()
            ? value.length == 0
            : minor.size() == inMinor + 1 && isPlainValue(minor.get(inMinor), value));
  }

  private boolean isPlainValue(String suffix, byte[] value) {
    String primaryKey = rowValue.primaryKeyOfPlain(value);
    return primaryKey != null && Suffix.ofThread().isOf(primaryKey, suffix);
  }

  private boolean isOfThis(List<String> major) {
    return major.size() == PARENT_COMPONENTS + inMajor
        && major.get(0).equals(parent.get(0))
        && major.get(1).equals(parent.get(1));
  }

  /** Reads rows whose keys share all of their major path. For one thread. */
  public final class MajorPath {
    private final List<String> major;
    private final Suffix suffix = Suffix.ofThread();

    /**
     * Values of the key fields that lie in the major path; null: no rows of this generation lie
     * there.
     */
    private final Object[] values;

    private MajorPath(List<String> major) {
      this.major = major;
      this.values =
          isOfThis(major) ? rowKey.first(major.subList(PARENT_COMPONENTS, major.size())) : null;
    }

    /**
     * The row of a record read back.
     *
     * @param minor path of its key
     * @throws LayoutException if it holds none of this generation, or several
     */
    public StoredRow row(List<String> minor, byte[] value) {
      if (isList()) {
        List<StoredRow> rows = listedRows(minor, value);
        if (rows.size() != 1) {
          throw new LayoutException("the record lists %d rows".formatted(rows.size()));
        }
        return rows.get(0);
      }
      return isKeyOnly() ? keyOnlyRow(minor, value) : keyValueRow(minor, value);
    }

    private Map<String, Object> keyValues(List<String> minor) {
      if (values == null || minor.size() <= inMinor) {
        throw new LayoutException(
            "a key with %d major and %d minor components is no row of /%s"
                .formatted(major.size(), minor.size(), String.join("/", parent)));
      }
      return rowKey.values(values, minor);
    }

    /** What follows the values of the key. */
    private List<String> rest(List<String> minor) {
      return minor.subList(inMinor, minor.size());
    }

    private StoredRow keyOnlyRow(List<String> minor, byte[] value) {
      Map<String, Object> keyValues = keyValues(minor);
      if (value.length > 0) {
        throw new LayoutException(
            "a key-only row has no value, this has one of %d bytes".formatted(value.length));
      }
      return new StoredRow(
          keyValues, PrimaryKeyPath.join(rest(minor)), Map.of(), OptionalLong.empty(), false);
    }

    private StoredRow keyValueRow(List<String> minor, byte[] value) {
      StoredRow row = rowValue.read(keyValues(minor), value);
      requireSuffix(minor, row.primaryKey());
      return row;
    }

    private void requireSuffix(List<String> minor, String primaryKey) {
      if (minor.size() != inMinor + 1 || !suffix.isOf(primaryKey, minor.get(inMinor))) {
        throw new LayoutException("the key's suffix is not that of the primary key in the value");
      }
    }

    private List<StoredRow> listedRows(List<String> minor, byte[] value) {
      return listValue.rows(listKeyValues(minor), value);
    }

    private Map<String, Object> listKeyValues(List<String> minor) {
      Map<String, Object> keyValues = keyValues(minor);
      if (!rest(minor).equals(List.of(LIST_COMPONENT))) {
        throw new LayoutException("the key of a list ends in " + LIST_COMPONENT);
      }
      return keyValues;
    }

    private void requireRows(List<String> minor, byte[] value) {
      if (isKeyOnly()) {
        keyOnlyRow(minor, value);
      } else if (isList()) {
        listKeyValues(minor);
        KvListContent.requireRows(value);
      } else {
        keyValues(minor);
        requireSuffix(minor, KvRowHead.of(value).requirePrimaryKey());
      }
    }
  }

  /** The components that the keys of all rows begin with, and those of no other view. */
  public List<String> parent() {
    return parent;
  }

  /**
   * The leading components of the keys of all rows with the given leading key values.
   *
   * @param leading values of the first key fields, as many as are given
   */
  public KvPath prefix(List<?> leading) {
    List<String> components = rowKey.leading(leading);
    int majorValues = Math.min(inMajor, components.size());
    List<String> major = new ArrayList<>(parent);
    major.addAll(components.subList(0, majorValues));
    return new KvPath(major, components.subList(majorValues, components.size()));
  }

  /** The key component of a value of one key field, for ranges. */
  public String component(int keyField, Object value) {
    return rowKey.component(keyField, value);
  }

  /** Major path of the view's metadata, the same for all generations. */
  public List<String> metadataParent() {
    return List.of(target.metaPrefix(), generation.baseName());
  }

  /** Key of the metadata record that says the view is in a state. */
  public KvPath metadata(String state) {
    List<String> minor = new ArrayList<>();
    minor.add(generation.recordSet().schema().getFullName());
    minor.addAll(generation.definition().key());
    minor.add(state);
    return new KvPath(metadataParent(), minor);
  }

  /**
   * Whether a record among metadata is none itself, but what each write of a view's depends on: an
   * empty one at {@link #metadataParent} itself. Somebody else's record there holds something.
   */
  public static boolean isMetadataGuard(KvPath path, byte[] value) {
    return path.major().size() == PARENT_COMPONENTS && path.minor().isEmpty() && value.length == 0;
  }

  /** What ends the keys of key/value rows: a digest of the primary key. For one thread. */
  private static final class Suffix {
    private static final ThreadLocal<Suffix> OF_THREAD = ThreadLocal.withInitial(Suffix::new);

    /** Bytes of the digest. */
    private static final int BYTES = 16;

    private static final int CHARACTERS = 22;
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

    private final MessageDigest sha256 = Sha256.newDigest();
    private final byte[] digest = new byte[sha256.getDigestLength()];
    private final byte[] start = new byte[BYTES];
    private final byte[] characters = new byte[CHARACTERS];

    static Suffix ofThread() {
      return OF_THREAD.get();
    }

    String of(String primaryKey) {
      make(primaryKey);
      return new String(characters, StandardCharsets.US_ASCII);
    }

    /** Whether a text is what {@link #of} gives, without making that. */
    boolean isOf(String primaryKey, String text) {
      if (text.length() != CHARACTERS) {
        return false;
      }
      make(primaryKey);
      for (int i = 0; i < CHARACTERS; i++) {
        if (text.charAt(i) != characters[i]) {
          return false;
        }
      }
      return true;
    }

    private void make(String primaryKey) {
      sha256.update(primaryKey.getBytes(StandardCharsets.UTF_8));
      try {
        sha256.digest(digest, 0, digest.length);
      } catch (DigestException e) {
        throw new IllegalStateException("there is room for the whole digest", e);
      }
      System.arraycopy(digest, 0, start, 0, BYTES);
      TEXT.encode(start, characters);
    }
  }

  /** A record that has one row. */
  static final class KvRowContent implements KvContent {
    private final long tombstonesFrom;
    private byte[] value;
    private long revision;

    /**
     * @param value null: there is no record
     * @param tombstonesFrom revision from which on tombstones count
     */
    KvRowContent(byte[] value, long tombstonesFrom) {
      this.tombstonesFrom = tombstonesFrom;
      if (value != null) {
        KvRowHead head = KvRowHead.of(value);
        boolean counts = !head.isTombstone() || head.revision() >= tombstonesFrom;
        this.value = counts ? value : null;
        this.revision = head.revision();
      }
    }

    @Override
    public boolean merge(byte[] change, long changed, boolean deletes) {
      boolean isOld = deletes && changed < tombstonesFrom;
      if (value == null ? isOld : changed <= revision) {
        return false;
      }
      value = isOld ? null : change;
      revision = changed;
      return true;
    }

    @Override
    public OptionalLong revision(String primaryKey) {
      return value == null ? OptionalLong.empty() : OptionalLong.of(revision);
    }

    @Override
    public Optional<byte[]> value() {
      return Optional.ofNullable(value);
    }
  }
}
