package io.indexview.client.read.kv;

import io.indexview.client.look.Recent;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Finds the metadata of views in the KV store. It lies under the view's name, or under a hash that
 * only a scan tells; where that was is remembered.
 */
final class KvMetadata {
  private static final int DOCUMENTS = 256;

  private final KvStore store;
  private final List<String> prefixes;
  private final Map<String, KvKey> places = new ConcurrentHashMap<>();
  private final Recent<String, ViewMetadata> documents =
      new Recent<>(DOCUMENTS, ViewMetadata::fromJson);

  /**
   * @param prefixes first components of the metadata's keys
   */
  KvMetadata(KvStore store, List<String> prefixes) {
    this.store = store;
    this.prefixes = List.copyOf(prefixes);
  }

  /** The metadata of a view; where several places have some, the newest. */
  Optional<ViewMetadata> find(String view) {
    KvKey known = places.get(view);
    Optional<Placed> newest = atKnownPlaces(view, known);
    if (known == null || newest.isEmpty()) {
      newest = scanned(view, newest);
    }
    newest.ifPresentOrElse(placed -> places.put(view, placed.place()), () -> places.remove(view));
    return newest.map(Placed::metadata);
  }

  /**
   * @param known null: none is
   */
  private Optional<Placed> atKnownPlaces(String view, KvKey known) {
    Stream<KvKey> plain =
        prefixes.stream().map(prefix -> new KvKey(List.of(prefix, view), List.of()));
    return Stream.concat(Stream.ofNullable(known), plain)
        .distinct()
        .flatMap(place -> at(place, view).map(found -> new Placed(place, found)).stream())
        .reduce(KvMetadata::newer);
  }

  private Optional<Placed> scanned(String view, Optional<Placed> plain) {
    Scan scan = scan();
    Optional<Placed> newest =
        Stream.concat(plain.stream(), Stream.ofNullable(scan.views().get(view)))
            .reduce(KvMetadata::newer);
    if (newest.isEmpty() && scan.unreadable() != null) {
      places.remove(view);
      throw scan.unreadable();
    }
    return newest;
  }

  /** Names of the views whose metadata can be read. */
  Collection<String> views() {
    return scan().views().keySet();
  }

  private record Placed(KvKey place, ViewMetadata metadata) {}

  /**
   * All that the store tells.
   *
   * @param unreadable what one record could not be read for, whose view is not known; null: none
   */
  private record Scan(Map<String, Placed> views, IllegalStateException unreadable) {}

  private Scan scan() {
    Map<String, Placed> views = new HashMap<>();
    IllegalStateException unreadable = null;
    for (String prefix : prefixes) {
      KvScan all = KvScan.under(KvKey.ofMajor(prefix));
      try (KvIterator<KvRecord> records = store.storeIterator(all)) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          try {
            Placed placed = new Placed(record.key().majorKey(), read(record));
            views.merge(placed.metadata().view(), placed, KvMetadata::newer);
          } catch (IllegalStateException e) {
            unreadable = e;
          }
        }
      }
    }
    return new Scan(views, unreadable);
  }

  private static Placed newer(Placed one, Placed other) {
    return one.metadata().version() >= other.metadata().version() ? one : other;
  }

  private Optional<ViewMetadata> at(KvKey place, String view) {
    return store.multiGet(KvSelection.of(place), KvConsistency.ABSOLUTE).stream()
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
