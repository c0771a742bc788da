package io.indexview.connect.common.metadata;

import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.layout.ViewMetadata;
import java.util.Collection;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class MetadataWriterPropertyTest {
  private static final List<String> DEFINITIONS =
      List.of(
          "key: [org]\ntarget: kv",
          "key: [org]\nnaming: hash\ntarget: kv",
          "key: [org, cost]\nnaming: hash\ntarget: kv");

  @Property(tries = 100)
  void neverServesWhatIsBeingRemovedAndEndsWithTheNewestState(
      @ForAll(supplier = Seeds.class) long seed) {
    InMemoryMetadata metadata = new InMemoryMetadata();
    ReplaySimulation.Target target =
        new ReplaySimulation.Target() {
          @Override
          public MetadataStore open(Runnable before) {
            metadata.before = before;
            return metadata;
          }

          @Override
          public Collection<ViewMetadata> stored() {
            return metadata.locations.values();
          }
        };

    ReplaySimulation.run(target, "kv", "v", DEFINITIONS, 65, seed);
  }
}
