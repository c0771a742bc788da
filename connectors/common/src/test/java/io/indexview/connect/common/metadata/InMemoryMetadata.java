package io.indexview.connect.common.metadata;

import io.indexview.views.layout.ViewMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Metadata by base name in memory, with something to do before each call. */
final class InMemoryMetadata implements MetadataStore {
  private static final String TARGET = "kv";

  final Map<String, ViewMetadata> places = new TreeMap<>();
  private final Map<String, Long> floors = new HashMap<>();
  Runnable before = () -> {};

  @Override
  public Optional<MetadataPlace> place(ViewMetadata metadata) {
    return metadata.placing(TARGET).map(g -> new Place(g.baseName(), metadata.view()));
  }

  @Override
  public List<MetadataPlace> find(String view) {
    before.run();
    return places.entrySet().stream()
        .filter(entry -> entry.getValue().view().equals(view))
        .<MetadataPlace>map(entry -> new Place(entry.getKey(), view))
        .toList();
  }

  @Override
  public void prepare(ViewMetadata metadata) {
    before.run();
  }

  private final class Place implements MetadataPlace {
    private final String base;
    private final String view;

    private Place(String base, String view) {
      this.base = base;
      this.view = view;
    }

    @Override
    public String name() {
      return base;
    }

    @Override
    public Content read() {
      before.run();
      return new Read(base, places.get(base));
    }

    @Override
    public long floor() {
      before.run();
      return floors.getOrDefault(view, 0L);
    }

    @Override
    public void raiseFloor(long version) {
      before.run();
      floors.merge(view, version, Math::max);
    }
  }

  private final class Read implements MetadataPlace.Content {
    private final String base;
    private final ViewMetadata seen;

    private Read(String base, ViewMetadata seen) {
      this.base = base;
      this.seen = seen;
    }

    @Override
    public Optional<ViewMetadata> metadata() {
      return Optional.ofNullable(seen);
    }

    @Override
    public boolean replace(ViewMetadata next) {
      before.run();
      // The same object: as if by the store's own version of the record.
      boolean same = places.get(base) == seen;
      if (same) {
        places.put(base, next);
      }
      return same;
    }

    @Override
    public boolean remove() {
      before.run();
      boolean same = places.get(base) == seen;
      if (same) {
        places.remove(base);
      }
      return same;
    }
  }
}
