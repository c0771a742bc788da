package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.metadata.MetadataStore;
import io.indexview.connect.common.metadata.MetadataStore.MetadataLocation;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.connect.errors.DataException;

/** Metadata in the KV store: one major path per view, {@code /<META>/<index name>}. */
final class KvMetadataStore implements MetadataStore {
  private final Supplier<KvStore> store;
  private final Set<String> prefixes;

  /**
   * @param store opens it when first asked
   * @param prefixes where metadata of views is looked for, beside where they are seen to be
   */
  KvMetadataStore(Supplier<KvStore> store, Collection<String> prefixes) {
    this.store = store;
    this.prefixes = new TreeSet<>(prefixes);
  }

  @Override
  public Optional<MetadataLocation> location(ViewMetadata metadata) {
    metadata.generations().stream()
        .map(generation -> generation.generation().definition().target())
        .filter(Target.Kv.class::isInstance)
        .forEach(target -> prefixes.add(((Target.Kv) target).metaPrefix()));
    return metadata.placing(Target.Kv.TYPE).flatMap(this::location);
  }

  @Override
  public Optional<MetadataLocation> location(ViewGeneration generation) {
    if (!(generation.definition().target() instanceof Target.Kv)) {
      return Optional.empty();
    }
    KvPath path = KvLayout.of(generation).metadata(ViewState.State.BUILDING.name());
    return Optional.of(location(generation.view(), new KvKey(path.major(), path.minor())));
  }

  @Override
  public List<MetadataLocation> find(String view) {
    Map<List<String>, MetadataLocation> locations = new LinkedHashMap<>();
    for (String prefix : prefixes) {
      try (KvIterator<KvRecord> records =
          store.get().storeIterator(KvScan.under(KvKey.ofMajor(prefix)))) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          String text = new String(record.value(), StandardCharsets.UTF_8);
          if (ViewMetadata.viewIn(text).filter(view::equals).isPresent()) {
            locations.put(record.key().major(), location(view, record.key()));
          }
        }
      }
    }
    return List.copyOf(locations.values());
  }

  /**
   * @param key of metadata that lies there, or may lie there, in any state
   */
  private MetadataLocation location(String view, KvKey key) {
    // A record without a minor path is refused when the location is read.
    int described = Math.max(0, key.minor().size() - 1);
    return new KvMetadataLocation(
        store.get(), view, key.majorKey(), key.minor().subList(0, described));
  }

  @Override
  public Optional<String> rowObstacle(ViewGeneration generation) {
    if (!(generation.definition().target() instanceof Target.Kv)) {
      return Optional.empty();
    }
    KvKey own = new KvKey(KvLayout.of(generation).metadataParent(), List.of());
    return new Claimant(own, generation.view(), generation.uid())
        .obstacle(RowLocation.of(generation));
  }

  @Override
  public Optional<String> rowObstacle(ViewMetadata metadata) {
    return firstObstacle(metadata, Claimant::obstacle);
  }

  @Override
  public Optional<String> claimRows(ViewMetadata metadata) {
    return firstObstacle(metadata, Claimant::claim);
  }

  private Optional<String> firstObstacle(
      ViewMetadata metadata, BiFunction<Claimant, RowLocation, Optional<String>> obstacle) {
    return metadata
        .placing(Target.Kv.TYPE)
        .map(placing -> new KvKey(KvLayout.of(placing).metadataParent(), List.of()))
        .map(own -> new Claimant(own, metadata.view(), metadata.uid()))
        .flatMap(
            claimant ->
                RowLocation.in(metadata).stream()
                    .flatMap(rows -> obstacle.apply(claimant, rows).stream())
                    .findFirst());
  }

  /**
   * A view that wants rows somewhere. What an owner record names counts as long as metadata there
   * lists such rows.
   */
  private final class Claimant {
    private final KvKey own;
    private final String view;
    private final String uid;

    /**
     * @param own where its metadata belongs
     */
    Claimant(KvKey own, String view, String uid) {
      this.own = own;
      this.view = view;
      this.uid = uid;
    }

    Optional<String> obstacle(RowLocation rows) {
      return store.get().get(rows.key()).flatMap(owner -> obstacle(owner, rows));
    }

    /**
     * Writes also what is there already: so the step fails of another one that has read it, and
     * then found nothing where it names the metadata.
     */
    Optional<String> claim(RowLocation rows) {
      byte[] value = own.toString().getBytes(StandardCharsets.UTF_8);
      KvKey key = rows.key();
      boolean isWritten = false;
      while (!isWritten) {
        Optional<KvRecord> owner = store.get().get(key);
        if (owner.isEmpty()) {
          isWritten = store.get().putIfAbsent(key, value).isPresent();
        } else {
          Optional<String> obstacle = obstacle(owner.get(), rows);
          if (obstacle.isPresent()) {
            return obstacle;
          }
          isWritten = store.get().putIfVersion(key, value, owner.get().version()).isPresent();
        }
      }
      return Optional.empty();
    }

    private Optional<String> obstacle(KvRecord owner, RowLocation rows) {
      KvKey named = named(owner);
      if (named.equals(own)) {
        return Optional.empty();
      }
      return new KvMetadataLocation(store.get(), view, named, List.of())
          .read().all().stream()
              .filter(metadata -> !(metadata.view().equals(view) && metadata.isOf(uid)))
              .filter(metadata -> RowLocation.in(metadata).contains(rows))
              .findFirst()
              .map(
                  metadata ->
                      metadata.view().equals(view)
                          ? ViewMetadata.foreign(named.toString())
                          : ViewMetadata.occupied(named.toString(), metadata.view()));
    }

    private static KvKey named(KvRecord owner) {
      try {
        return KvKey.fromString(KvMetadataLocation.text(owner)).majorKey();
      } catch (IllegalArgumentException e) {
        throw KvMetadataLocation.unreadable(owner, e);
      }
    }
  }

  /**
   * Where the rows of all generations of a view lie that have one prefix and naming.
   *
   * @param base name of the first of these generations
   */
  private record RowLocation(String prefix, String base) {
    static RowLocation of(ViewGeneration generation) {
      Target.Kv target = (Target.Kv) generation.definition().target();
      return new RowLocation(target.prefix(), generation.baseName());
    }

    static Set<RowLocation> in(ViewMetadata metadata) {
      return metadata.generations().stream()
          .map(ViewMetadata.Generation::generation)
          .filter(generation -> generation.definition().target() instanceof Target.Kv)
          .map(RowLocation::of)
          .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Of the record that names the location of the rows' metadata. */
    KvKey key() {
      return KvKey.ofMajor(prefix + Target.Kv.OWNER_SUFFIX, base);
    }
  }

  /** Whether a record among metadata is none itself, see {@link KvLayout#isMetadataGuard}. */
  static boolean isGuard(KvRecord record) {
    return KvLayout.isMetadataGuard(
        new KvPath(record.key().major(), record.key().minor()), record.value());
  }

  /** Does nothing: rows need no more than their keys. */
  @Override
  public void prepare(ViewMetadata metadata) {}

  /**
   * The major path of a view's metadata. Its records are replaced together, so that it says one
   * thing at any moment, though the state is in the key. An empty record at the major path itself
   * goes with them: each write depends on its version, also that of who has found nothing there and
   * puts a record under a key of its own.
   */
  static final class KvMetadataLocation implements MetadataLocation {
    private static final byte[] GUARD = {};

    private final KvStore store;
    private final String view;
    private final KvKey major;
    private final List<String> described;

    /** {@code /<META>-history/<view>}: beside the metadata, so that scans find metadata only. */
    private final KvKey floorKey;

    /**
     * @param major without a minor path
     * @param described the minor path before the state: schema and fields
     */
    KvMetadataLocation(KvStore store, String view, KvKey major, List<String> described) {
      this.store = store;
      this.view = view;
      this.major = major;
      this.described = described;
      this.floorKey = KvKey.ofMajor(major.major().get(0) + Target.Kv.HISTORY_SUFFIX, view);
    }

    @Override
    public String name() {
      return major.toString();
    }

    @Override
    public Read read() {
      return new Read(store.multiGet(KvSelection.of(major), KvConsistency.ABSOLUTE));
    }

    @Override
    public long floor() {
      return store.get(floorKey).map(KvMetadataLocation::floor).orElse(0L);
    }

    @Override
    public String floorName() {
      return floorKey.toString();
    }

    @Override
    public void raiseFloor(long version) {
      byte[] value = Long.toString(version).getBytes(StandardCharsets.UTF_8);
      boolean isRaised = false;
      while (!isRaised) {
        Optional<KvRecord> current = store.get(floorKey);
        isRaised =
            current.isEmpty()
                ? store.putIfAbsent(floorKey, value).isPresent()
                : floor(current.get()) >= version
                    || store.putIfVersion(floorKey, value, current.get().version()).isPresent();
      }
    }

    private static long floor(KvRecord record) {
      try {
        return Long.parseLong(text(record));
      } catch (NumberFormatException e) {
        throw unreadable(record, e);
      }
    }

    private static String text(KvRecord record) {
      return new String(record.value(), StandardCharsets.UTF_8);
    }

    /** Also refuses what is where the guard belongs: the guard would replace it. */
    private static ViewMetadata parse(KvRecord record) {
      try {
        if (record.key().minor().isEmpty()) {
          throw new IllegalArgumentException("no metadata has this key");
        }
        return ViewMetadata.fromJson(text(record));
      } catch (IllegalArgumentException e) {
        throw unreadable(record, e);
      }
    }

    private static DataException unreadable(KvRecord record, IllegalArgumentException cause) {
      return new DataException(
          "%s cannot be read: %s; upgrade this connector, or remove the record if it is none of Indexview's"
              .formatted(record.key(), cause.getMessage()),
          cause);
    }

    private boolean execute(List<KvOperation> operations) {
      try {
        if (!operations.isEmpty()) {
          store.execute(operations);
        }
        return true;
      } catch (KvExecutionException e) {
        return false;
      }
    }

    final class Read implements Content {
      private final Optional<KvRecord> guard;
      private final List<KvRecord> records;
      private final Map<KvRecord, ViewMetadata> own =
          new TreeMap<>(Comparator.comparing(KvRecord::key));
      private final List<ViewMetadata> ofOthers = new ArrayList<>();

      private Read(List<KvRecord> found) {
        Map<Boolean, List<KvRecord>> byGuard =
            found.stream().collect(Collectors.partitioningBy(KvMetadataStore::isGuard));
        guard = byGuard.get(true).stream().findFirst();
        records = byGuard.get(false);
        for (KvRecord record : records) {
          ViewMetadata metadata = parse(record);
          if (metadata.view().equals(view)) {
            own.put(record, metadata);
          } else {
            ofOthers.add(metadata);
          }
        }
      }

      @Override
      public Optional<ViewMetadata> metadata() {
        return own.values().stream().max(Comparator.comparingLong(ViewMetadata::version));
      }

      private List<ViewMetadata> all() {
        List<ViewMetadata> all = new ArrayList<>(own.values());
        all.addAll(ofOthers);
        return all;
      }

      @Override
      public List<ViewMetadata> ofOthers() {
        return List.copyOf(ofOthers);
      }

      /** Old states of the other views stay history: nothing is left to hold them off. */
      @Override
      public boolean replace(ViewMetadata next) {
        ofOthers.forEach(
            other ->
                new KvMetadataLocation(store, other.view(), major, described)
                    .raiseFloor(other.version()));
        List<String> minor = new ArrayList<>(described);
        minor.add(next.state().name());
        KvKey key = new KvKey(major.major(), minor);
        byte[] value = next.toJson().getBytes(StandardCharsets.UTF_8);
        List<KvOperation> operations = new ArrayList<>();
        operations.add(
            guard.isPresent()
                ? new KvOperation.PutIfVersion(major, GUARD, guard.get().version())
                : new KvOperation.PutIfAbsent(major, GUARD));
        boolean isThere = false;
        for (KvRecord record : records) {
          boolean isSame = record.key().equals(key);
          isThere |= isSame;
          operations.add(
              isSame
                  ? new KvOperation.PutIfVersion(key, value, record.version())
                  : new KvOperation.DeleteIfVersion(record.key(), record.version()));
        }
        if (!isThere) {
          operations.add(new KvOperation.PutIfAbsent(key, value));
        }
        return execute(operations);
      }

      @Override
      public boolean remove() {
        List<KvRecord> removed = new ArrayList<>(own.keySet());
        if (ofOthers.isEmpty()) {
          guard.ifPresent(removed::add);
        }
        return execute(
            removed.stream()
                .<KvOperation>map(
                    record -> new KvOperation.DeleteIfVersion(record.key(), record.version()))
                .toList());
      }
    }
  }
}
