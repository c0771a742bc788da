package io.indexview.client.read.kv;

import io.indexview.client.poll.LruCache;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The KV store. The metadata of a view lies under its name, or under a hash that only a scan tells;
 * where that was is remembered. Now and then a scan tells of all views whether another installation
 * describes one elsewhere meanwhile.
 */
public final class KvTarget implements ViewTarget {
  /** How long metadata of another installation may be overlooked that only a scan tells. */
  private static final Duration SCAN_INTERVAL = Duration.ofMinutes(1);

  /** How soon it is looked for once more after an outage. */
  private static final Duration SCAN_AGAIN = Duration.ofSeconds(15);

  private static final Logger LOGGER = LoggerFactory.getLogger(KvTarget.class);
  private static final int KEPT = 256;
  private static final Pattern VERSION = Pattern.compile("\\d{1,18}");

  private final KvStore store;
  private final List<String> prefixes;
  private final Time time;
  private final AtomicLong nextScan;
  private final Map<String, KvKey> locations = new ConcurrentHashMap<>();
  private final LruCache<String, ViewMetadata> documents =
      new LruCache<>(KEPT, ViewMetadata::fromJson);
  private final LruCache<ViewGeneration, ViewRows> rows;

  /**
   * @param store stays the caller's to close
   * @param metaPrefixes first components of the keys of metadata
   */
  public KvTarget(KvStore store, List<String> metaPrefixes, int sortLimit, Time time) {
    this.store = store;
    this.time = time;
    this.nextScan = new AtomicLong(time.nanoTime() + SCAN_INTERVAL.toNanos());
    this.prefixes = List.copyOf(metaPrefixes);
    this.rows = new LruCache<>(KEPT, generation -> new KvViewRows(store, generation, sortLimit));
  }

  /** The newest, where several places have some. */
  @Override
  public Optional<ViewMetadata> metadata(String view) {
    if (takesScan()) {
      forgetUnreadable();
    }
    KvKey known = locations.get(view);
    Optional<Located> newest = atKnownPlaces(view, known);
    if (known == null || newest.isEmpty()) {
      locations.remove(view);
      newest = Stream.concat(newest.stream(), scan().newest(view).stream()).reduce(KvTarget::newer);
    }
    // What is known already is not put again: a scan may have taken it away meanwhile.
    newest
        .map(Located::location)
        .filter(location -> !location.equals(known))
        .ifPresent(location -> locations.put(view, location));
    return newest.map(Located::metadata);
  }

  /** What is known is enough for the read that it is in: an outage makes the next one sooner. */
  private void forgetUnreadable() {
    try {
      scan().unreadable.keySet().forEach(locations::remove);
    } catch (KvStoreException.Unavailable e) {
      LOGGER.debug("A scan of all metadata failed", e);
      nextScan.set(time.nanoTime() + SCAN_AGAIN.toNanos());
    }
  }

  /** Of several threads that ask, one takes it, and the others go on by what is known. */
  private boolean takesScan() {
    long due = nextScan.get();
    long now = time.nanoTime();
    return now - due >= 0 && nextScan.compareAndSet(due, now + SCAN_INTERVAL.toNanos());
  }

  /**
   * @param known null: none is
   */
  private Optional<Located> atKnownPlaces(String view, KvKey known) {
    Stream<KvKey> plain =
        prefixes.stream().map(prefix -> new KvKey(List.of(prefix, view), List.of()));
    return Stream.concat(Stream.ofNullable(known), plain)
        .distinct()
        .flatMap(location -> at(location).newest(view).stream())
        .reduce(KvTarget::newer);
  }

  @Override
  public Optional<History> history(ViewGeneration generation) {
    if (!(generation.definition().target() instanceof Target.Kv target)) {
      return Optional.empty();
    }
    KvKey place = KvKey.ofMajor(target.metaPrefix() + Target.Kv.HISTORY_SUFFIX, generation.view());
    return store
        .get(place)
        .map(record -> new String(record.value(), StandardCharsets.UTF_8))
        .filter(text -> VERSION.matcher(text).matches())
        .map(text -> new History(Long.parseLong(text), place.toString()));
  }

  @Override
  public Optional<String> occupied(ViewGeneration generation) {
    if (!(generation.definition().target() instanceof Target.Kv)) {
      return Optional.empty();
    }
    KvKey place = new KvKey(KvLayout.of(generation).metadataParent(), List.of());
    return at(place).newest.values().stream()
        .map(Located::metadata)
        .filter(other -> !other.view().equals(generation.view()))
        .filter(other -> !other.generations().isEmpty())
        .findFirst()
        .map(other -> ViewMetadata.occupied(place.toString(), other.view()));
  }

  /** Views whose metadata can be read. */
  @Override
  public Collection<String> views() {
    return scan().newest.keySet();
  }

  @Override
  public ViewRows rows(ViewGeneration generation) {
    return rows.get(generation);
  }

  private record Located(KvKey location, ViewMetadata metadata) {}

  private Found scan() {
    Found found = new Found();
    for (String prefix : prefixes) {
      KvScan all = KvScan.under(KvKey.ofMajor(prefix));
      try (KvIterator<KvRecord> records = store.storeIterator(all)) {
        records.forEachRemaining(found::add);
      }
    }
    return found;
  }

  private Found at(KvKey location) {
    Found found = new Found();
    store.multiGet(KvSelection.of(location), KvConsistency.ABSOLUTE).forEach(found::add);
    return found;
  }

  /**
   * @throws UnreadableMetadataException if they are of two installations
   */
  private static Located newer(Located one, Located other) {
    if (!one.metadata().isOf(other.metadata().uid())) {
      throw UnreadableMetadataException.ofTwoInstallations(
          one.location().toString(), other.location().toString());
    }
    return one.metadata().version() >= other.metadata().version() ? one : other;
  }

  /** The metadata of views among records; what is none, as another program wrote it, is not. */
  private final class Found {
    private final Map<String, Located> newest = new HashMap<>();
    private final Map<String, UnreadableMetadataException> unreadable = new HashMap<>();

    void add(KvRecord record) {
      String text = new String(record.value(), StandardCharsets.UTF_8);
      try {
        Located located = new Located(record.key().majorKey(), documents.get(text));
        add(located);
      } catch (IllegalArgumentException e) {
        ViewMetadata.viewIn(text)
            .ifPresent(
                view ->
                    unreadable.put(
                        view, new UnreadableMetadataException(record.key().toString(), e)));
      }
    }

    private void add(Located located) {
      String view = located.metadata().view();
      try {
        newest.merge(view, located, KvTarget::newer);
      } catch (UnreadableMetadataException e) {
        unreadable.put(view, e);
      }
    }

    /**
     * @throws UnreadableMetadataException if some of the view cannot be read: it may be the newest
     */
    Optional<Located> newest(String view) {
      if (unreadable.containsKey(view)) {
        throw unreadable.get(view);
      }
      return Optional.ofNullable(newest.get(view));
    }
  }
}
