package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.metadata.MetadataStore;
import io.indexview.connect.common.metadata.MetadataStore.MetadataLocation;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.Target;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

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
    return metadata
        .placing(Target.Kv.TYPE)
        .map(
            generation -> {
              KvLayout layout = KvLayout.of(generation);
              List<String> major = layout.metadataParent();
              List<String> minor = layout.metadata(metadata.state().name()).minor();
              return location(metadata.view(), new KvKey(major, minor));
            });
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
    return new KvMetadataLocation(
        store.get(), view, key.majorKey(), key.minor().subList(0, key.minor().size() - 1));
  }

  /** Nothing: rows need no more than their keys. */
  @Override
  public void prepare(ViewMetadata metadata) {}
}
