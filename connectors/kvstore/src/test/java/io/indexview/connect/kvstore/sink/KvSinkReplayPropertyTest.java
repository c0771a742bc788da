package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.metadata.MetadataStore;
import io.indexview.connect.common.metadata.ReplaySimulation;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.layout.ViewMetadata;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class KvSinkReplayPropertyTest {
  private static TemporaryStore temporary;
  private static KvStore store;
  private static int tries;

  @BeforeContainer
  static void open() throws IOException {
    temporary = TemporaryStore.open();
    store = temporary.store();
  }

  @AfterContainer
  static void close() throws IOException {
    temporary.close();
  }

  @Property(tries = 30)
  void neverServesWhatIsBeingRemovedAndEndsWithTheNewestState(
      @ForAll(supplier = Seeds.class) long seed) {
    String prefix = "M" + tries++;
    List<String> definitions =
        List.of(
            "key: [org]\ntarget: kv\nmetaPrefix: " + prefix,
            "key: [org, cost]\ntarget: kv\nmetaPrefix: " + prefix,
            "key: [org]\nnaming: hash\ntarget: kv\nmetaPrefix: " + prefix,
            "key: [org, cost]\nnaming: hash\ntarget: kv\nmetaPrefix: " + prefix + "-2");

    ReplaySimulation.run(target(prefix), "kv", "v", definitions, 40, seed);
  }

  private static ReplaySimulation.Target target(String prefix) {
    List<String> prefixes = List.of(prefix, prefix + "-2");
    return new ReplaySimulation.Target() {
      @Override
      public MetadataStore open(Runnable before) {
        KvStore observed = ObservedKvStore.of(store, (method, arguments) -> before.run());
        return new KvMetadataStore(() -> observed, prefixes);
      }

      @Override
      public Collection<ViewMetadata> stored() {
        List<ViewMetadata> stored = new ArrayList<>();
        for (String each : prefixes) {
          try (var records = store.storeIterator(KvScan.under(KvKey.ofMajor(each)))) {
            records.forEachRemaining(
                record -> {
                  if (!record.key().minor().isEmpty()) {
                    stored.add(
                        ViewMetadata.fromJson(new String(record.value(), StandardCharsets.UTF_8)));
                  }
                });
          }
        }
        return stored;
      }
    };
  }
}
