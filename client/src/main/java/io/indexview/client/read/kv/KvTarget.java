package io.indexview.client.read.kv;

import io.indexview.client.poll.Recent;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The KV store. The metadata of a view lies under its name, or under a hash that only a scan tells;
 * where that was is remembered.
 */
public final class KvTarget implements ViewTarget {
  private static final int KEPT = 256;
  private static final Pattern VERSION = Pattern.compile("\\d{1,18}");

  private final KvStore store;
  private final List<String> prefixes;
  private final Map<String, KvKey> locations = new ConcurrentHashMap<>();
  private final Recent<String, ViewMetadata> documents = new Recent<>(KEPT, ViewMetadata::fromJson);
  private final Recent<ViewGeneration, ViewRows> rows;

  /**
   * @param store stays the caller's to close
   * @param metaPrefixes first components of the keys of metadata
   */
  public KvTarget(KvStore store, List<String> metaPrefixes, int sortLimit) {
    this.store = store;
    this.prefixes = List.copyOf(metaPrefixes);
    this.rows = new Recent<>(KEPT, generation -> new KvViewRows(store, generation, sortLimit));
  }

  /** The newest, where several places have some. */
  @Override
  public Optional<ViewMetadata> metadata(String view) {
    KvKey known = locations.get(view);
    Optional<Located> newest = atKnownPlaces(view, known);
    if (known == null || newest.isEmpty()) {
      newest = scanned(view, newest);
    }
    newest.ifPresentOrElse(
        located -> locations.put(view, located.location()), () -> locations.remove(view));
    return newest.map(Located::metadata);
  }

  /**
   * @param known null: none is
   */
  private Optional<Located> atKnownPlaces(String view, KvKey known) {
    Stream<KvKey> plain =
        prefixes.stream().map(prefix -> new KvKey(List.of(prefix, view), List.of()));
    return Stream.concat(Stream.ofNullable(known), plain)
        .distinct()
        .flatMap(location -> at(location, view).map(found -> new Located(location, found)).stream())
        .reduce(KvTarget::newer);
  }

  private Optional<Located> scanned(String view, Optional<Located> plain) {
    Scan scan = scan();
    Optional<Located> newest =
        Stream.concat(plain.stream(), Stream.ofNullable(scan.views().get(view)))
            .reduce(KvTarget::newer);
    if (newest.isEmpty() && scan.unreadable() != null) {
      locations.remove(view);
      throw scan.unreadable();
    }
    return newest;
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

  /** Those whose metadata can be read. */
  @Override
  public Collection<String> views() {
    return scan().views().keySet();
  }

  @Override
  public ViewRows rows(ViewGeneration generation) {
    return rows.get(generation);
  }

  private record Located(KvKey location, ViewMetadata metadata) {}

  /**
   * All that the store tells.
   *
   * @param unreadable what one record could not be read for, whose view is not known; null: none
   */
  private record Scan(Map<String, Located> views, IllegalStateException unreadable) {}

  private Scan scan() {
    Map<String, Located> views = new HashMap<>();
    IllegalStateException unreadable = null;
    for (String prefix : prefixes) {
      KvScan all = KvScan.under(KvKey.ofMajor(prefix));
      try (KvIterator<KvRecord> records = store.storeIterator(all)) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          try {
            Located located = new Located(record.key().majorKey(), read(record));
            views.merge(located.metadata().view(), located, KvTarget::newer);
          } catch (IllegalStateException e) {
            unreadable = e;
          }
        }
      }
    }
    return new Scan(views, unreadable);
  }

  private static Located newer(Located one, Located other) {
    return one.metadata().version() >= other.metadata().version() ? one : other;
  }

  private Optional<ViewMetadata> at(KvKey location, String view) {
    return store.multiGet(KvSelection.of(location), KvConsistency.ABSOLUTE).stream()
        .map(this::read)
        .filter(metadata -> metadata.view().equals(view))
        .reduce((one, other) -> one.version() >= other.version() ? one : other);
  }

  private ViewMetadata read(KvRecord record) {
    try {
      return documents.get(new String(record.value(), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "the metadata at %s cannot be read: %s".formatted(record.key(), e.getMessage()), e);
    }
  }
}
