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

  /** The metadata of a view; while it moves from one place to another, the newer. */
  Optional<ViewMetadata> find(String view) {
    KvKey known = places.get(view);
    if (known != null) {
      Optional<ViewMetadata> found = at(known, view);
      if (found.isPresent()) {
        return found;
      }
    }
    for (String prefix : prefixes) {
      KvKey plain = new KvKey(List.of(prefix, view), List.of());
      Optional<ViewMetadata> found = at(plain, view);
      if (found.isPresent()) {
        places.put(view, plain);
        return found;
      }
    }
    Scan scan = scan();
    Placed placed = scan.views().get(view);
    if (placed == null) {
      places.remove(view);
      if (scan.unreadable() != null) {
        throw scan.unreadable();
      }
      return Optional.empty();
    }
    places.put(view, placed.place());
    return Optional.of(placed.metadata());
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
