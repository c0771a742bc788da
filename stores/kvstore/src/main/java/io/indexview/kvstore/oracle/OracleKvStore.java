package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.WriteChecks;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import oracle.kv.Depth;
import oracle.kv.Direction;
import oracle.kv.KVStore;
import oracle.kv.Key;
import oracle.kv.KeyValueVersion;
import oracle.kv.OperationExecutionException;
import oracle.kv.ParallelScanIterator;
import oracle.kv.StoreIteratorConfig;

/**
 * Oracle NoSQL Database through its Key/Value API. Uses only what the client has had from release
 * 18.3 to 25.x, so that the jar that belongs to the server can take the place of the one this was
 * compiled against.
 */
public final class OracleKvStore implements KvStore {
  private final KVStore store;
  private final ClientOperations operations;
  private final ClientErrors errors;
  private final boolean isSecured;
  private final Path serverJars;
  private final Set<OracleChanges> followers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private OracleKvStore(KVStore store, KvStoreConfig config, ClientErrors errors) {
    this.store = store;
    this.operations = new ClientOperations(store.getOperationFactory());
    this.errors = errors;
    this.isSecured = config.securityFile().isPresent();
    this.serverJars = config.serverJars().orElseGet(OracleKvStore::besideTheClient);
  }

  private static Path besideTheClient() {
    URL client = KVStore.class.getProtectionDomain().getCodeSource().getLocation();
    try {
      return Path.of(client.toURI()).toAbsolutePath().getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Connects to a store.
   *
   * @param helperHosts {@code host:port} of some of the store's nodes
   * @throws KvStoreException Unavailable if no node answers, Misconfigured if the store refuses
   *     this client or has another name
   */
  public static OracleKvStore open(String[] helperHosts, String storeName, KvStoreConfig config) {
    ClientErrors errors = new ClientErrors(storeName);
    return new OracleKvStore(
        Connection.open(helperHosts, storeName, config, errors), config, errors);
  }

  @Override
  public Optional<KvRecord> get(KvKey key, KvConsistency consistency) {
    Key translated = Translation.key(key);
    return call(() ->
            Optional.ofNullable(
                store.get(translated, Translation.consistency(consistency), 0, null)))
        .map(found -> Translation.record(key, found.getValue(), found.getVersion()));
  }

  @Override
  public List<KvRecord> multiGet(KvSelection selection, KvConsistency consistency) {
    List<KvRecord> records = new ArrayList<>();
    call(() ->
            store.multiGet(
                Translation.key(selection.parent()),
                Translation.range(selection.range()),
                Translation.depth(selection),
                Translation.consistency(consistency),
                0,
                null))
        .forEach(
            (key, found) ->
                records.add(Translation.record(key, found.getValue(), found.getVersion())));
    // The client sorts what it returns as Java does, which is not the store's order for NUL.
    records.sort(Comparator.comparing(KvRecord::key));
    return records;
  }

  @Override
  public Optional<KvVersion> write(KvOperation operation) {
    WriteChecks.requireWritable(operation.key());
    return call(() -> ClientOperations.write(store, operation));
  }

  @Override
  public void putAll(Map<KvKey, byte[]> records) {
    records.keySet().forEach(WriteChecks::requireWritable);
    BulkPut puts = new BulkPut(records);
    call(
        () -> {
          puts.into(store);
          return null;
        });
  }

  /** Deletes keys with one request for each, which need not tell what was there. */
  @Override
  public void deleteAll(Collection<KvKey> keys) {
    keys.forEach(WriteChecks::requireWritable);
    for (KvKey key : keys) {
      call(() -> store.delete(Translation.key(key)));
    }
  }

  @Override
  public int multiDelete(KvSelection selection) {
    return call(
        () ->
            store.multiDelete(
                Translation.key(selection.parent()),
                Translation.range(selection.range()),
                Translation.depth(selection)));
  }

  @Override
  public List<KvResult> execute(List<KvOperation> requested) {
    WriteChecks.requireExecutable(requested);
    return call(
        () -> {
          try {
            return ClientOperations.results(requested, store.execute(operations.all(requested)));
          } catch (OperationExecutionException e) {
            throw ClientOperations.failure(requested, e);
          }
        });
  }

  @Override
  public KvIterator<KvRecord> iterator(
      KvSelection selection, KvDirection direction, KvConsistency consistency, int batchSize) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("batchSize %d must be at least 1.".formatted(batchSize));
    }
    if (direction == KvDirection.FORWARD || !selection.includesParent()) {
      return majorPath(selection, direction, consistency, batchSize);
    }
    // The store returns the parent's own record first, in reverse too.
    Iterator<KvRecord> parent = get(selection.parent(), consistency).stream().iterator();
    KvSelection below = KvSelection.below(selection.parent(), selection.range());
    return new ConcatenatedIterator<>(
        majorPath(below, direction, consistency, batchSize),
        new CheckedIterator<>(parent, Function.identity(), () -> {}, errors));
  }

  @Override
  public KvIterator<KvRecord> storeIterator(KvScan scan) {
    Key parent = scan.parent() == null ? null : Translation.key(scan.parent());
    ParallelScanIterator<KeyValueVersion> below =
        call(
            () ->
                store.storeIterator(
                    Direction.UNORDERED,
                    scan.batchSize(),
                    parent,
                    Translation.range(scan.range()),
                    Depth.DESCENDANTS_ONLY,
                    Translation.consistency(scan.consistency()),
                    0,
                    null,
                    parallel(scan)));
    KvIterator<KvRecord> descendants =
        new CheckedIterator<>(below, OracleKvStore::record, below::close, errors);
    return withParent(
        scan,
        descendants,
        selection ->
            majorPath(selection, KvDirection.FORWARD, scan.consistency(), scan.batchSize()));
  }

  @Override
  public KvIterator<KvKey> storeKeysIterator(KvScan scan) {
    Key parent = scan.parent() == null ? null : Translation.key(scan.parent());
    ParallelScanIterator<Key> below =
        call(
            () ->
                store.storeKeysIterator(
                    Direction.UNORDERED,
                    scan.batchSize(),
                    parent,
                    Translation.range(scan.range()),
                    Depth.DESCENDANTS_ONLY,
                    Translation.consistency(scan.consistency()),
                    0,
                    null,
                    parallel(scan)));
    KvIterator<KvKey> descendants =
        new CheckedIterator<>(below, Translation::key, below::close, errors);
    return withParent(scan, descendants, selection -> keys(selection, scan));
  }

  /**
   * The store sends the whole log of every shard, as a rule once for all who follow it: also those
   * of other clients that have the server's jars from the same directory. Who is not level with the
   * others reads it by himself.
   */
  @Override
  public KvChanges changes(KvKeySet keys, Optional<KvChangePosition> from) {
    if (isSecured) {
      throw new KvStoreException.ChangesUnsupported(
          "The changes of a secured store cannot be followed; use scans.");
    }
    try {
      ServerEngine server = ServerEngine.load(serverJars);
      Shards shards = new Shards(store, server.classes());
      OracleChanges changes = OracleChanges.open(server, shards, keys, from, followers::remove);
      followers.add(changes);
      if (closed) {
        changes.close();
      }
      return changes;
    } catch (LinkageError e) {
      throw new KvStoreException.ChangesUnsupported(
          "Changes cannot be followed with this release of the client: it lacks %s."
              .formatted(e.getMessage()),
          e);
    }
  }

  @Override
  public void close() {
    closed = true;
    followers.forEach(OracleChanges::close);
    store.close();
  }

  /**
   * The store's scan leaves out minor paths under exactly the parent's major path, which is one
   * partition's business; they are read beside it.
   */
  private static <T> KvIterator<T> withParent(
      KvScan scan, KvIterator<T> descendants, Function<KvSelection, KvIterator<T>> majorPath) {
    if (scan.parent() == null || !scan.range().isAll()) {
      return descendants;
    }
    return new ConcatenatedIterator<>(majorPath.apply(KvSelection.of(scan.parent())), descendants);
  }

  private KvIterator<KvRecord> majorPath(
      KvSelection selection, KvDirection direction, KvConsistency consistency, int batchSize) {
    return new CheckedIterator<>(
        call(
            () ->
                store.multiGetIterator(
                    Translation.direction(direction),
                    batchSize,
                    Translation.key(selection.parent()),
                    Translation.range(selection.range()),
                    Translation.depth(selection),
                    Translation.consistency(consistency),
                    0,
                    null)),
        OracleKvStore::record,
        () -> {},
        errors);
  }

  private KvIterator<KvKey> keys(KvSelection selection, KvScan scan) {
    return new CheckedIterator<>(
        call(
            () ->
                store.multiGetKeysIterator(
                    Direction.FORWARD,
                    scan.batchSize(),
                    Translation.key(selection.parent()),
                    Translation.range(selection.range()),
                    Translation.depth(selection),
                    Translation.consistency(scan.consistency()),
                    0,
                    null)),
        Translation::key,
        () -> {},
        errors);
  }

  private static StoreIteratorConfig parallel(KvScan scan) {
    return new StoreIteratorConfig().setMaxConcurrentRequests(scan.concurrency());
  }

  private static KvRecord record(KeyValueVersion found) {
    return Translation.record(found.getKey(), found.getValue(), found.getVersion());
  }

  private <T> T call(Supplier<T> request) {
    try {
      return request.get();
    } catch (RuntimeException e) {
      throw errors.translate(e);
    }
  }

  /** Iterates over one iterator after the other; closes both. */
  record ConcatenatedIterator<T>(KvIterator<T> first, KvIterator<T> second)
      implements KvIterator<T> {
    @Override
    public boolean hasNext() {
      return first.hasNext() || second.hasNext();
    }

    @Override
    public T next() {
      return first.hasNext() ? first.next() : second.next();
    }

    @Override
    public void close() {
      try (second) {
        first.close();
      }
    }
  }
}
