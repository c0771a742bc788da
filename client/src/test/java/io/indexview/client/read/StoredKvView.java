package io.indexview.client.read;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvContent;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.ViewMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Views in an embedded store. */
final class StoredKvView implements StoredView, AutoCloseable {
  private final Path directory;
  private final KvStore store;

  StoredKvView() {
    try {
      this.directory = Files.createTempDirectory("reader-test");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
  }

  KvStore store() {
    return store;
  }

  @Override
  public void prepare(ViewGeneration generation) {
    store.storeKeysIterator(KvScan.all()).forEachRemaining(store::delete);
  }

  private static KvKey key(KvPath path) {
    return new KvKey(path.major(), path.minor());
  }

  @Override
  public void put(ViewGeneration generation, TestRow row, long revision) {
    KvLayout layout = KvLayout.of(generation);
    write(layout, row, layout.value(row::field, row::value, revision), revision);
  }

  private void write(KvLayout layout, TestRow row, byte[] change, long revision) {
    KvKey key = key(layout.path(row::field));
    byte[] current = store.get(key).map(KvRecord::value).orElse(null);
    store.put(key, layout.isList() ? merged(layout, current, change, revision) : change);
  }

  private static byte[] merged(KvLayout layout, byte[] current, byte[] change, long revision) {
    KvContent content = layout.content(current, 0, Integer.MAX_VALUE);
    content.merge(change, revision, false);
    return content.value().orElseThrow();
  }

  @Override
  public void delete(ViewGeneration generation, TestRow row) {
    KvLayout layout = KvLayout.of(generation);
    KvKey key = key(layout.path(row::field));
    if (layout.isList()) {
      long last = Long.MAX_VALUE - 1;
      write(layout, row, layout.tombstone(row::field, last), last);
      byte[] marked = store.get(key).orElseThrow().value();
      layout
          .withoutTombstones(marked, Long.MAX_VALUE)
          .ifPresentOrElse(left -> store.put(key, left), () -> store.delete(key));
    } else {
      store.delete(key);
    }
  }

  @Override
  public void mark(ViewGeneration generation, TestRow row, long revision) {
    KvLayout layout = KvLayout.of(generation);
    write(layout, row, layout.tombstone(row::field, revision), revision);
  }

  @Override
  public void tell(ViewMetadata metadata) {
    KvLayout layout = KvLayout.of(metadata.placing("kv").orElseThrow());
    store.multiDelete(KvSelection.of(new KvKey(layout.metadataParent(), List.of())));
    store.put(
        key(layout.metadata(metadata.state().name())),
        metadata.toJson().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public IndexViewReader reader(ReaderConfig config) {
    return IndexViewReaders.of(store, config);
  }

  @Override
  public void close() {
    store.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
