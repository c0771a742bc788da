package io.indexview.connect.common.metadata;

import io.indexview.connect.common.metadata.MetadataStore.MetadataLocation;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Metadata by base name in memory, with something to do before each call. */
final class InMemoryMetadata implements MetadataStore {
  private static final String TARGET = "kv";

  final Map<String, ViewMetadata> locations = new TreeMap<>();
  final Map<String, Long> floors = new HashMap<>();
  Runnable before = () -> {};

  @Override
  public Optional<MetadataLocation> location(ViewMetadata metadata) {
    return metadata.placing(TARGET).flatMap(this::location);
  }

  @Override
  public Optional<MetadataLocation> location(ViewGeneration generation) {
    return Optional.of(new Location(generation.baseName(), generation.view()));
  }

  @Override
  public List<MetadataLocation> find(String view) {
    before.run();
    return locations.entrySet().stream()
        .filter(entry -> entry.getValue().view().equals(view))
        .<MetadataLocation>map(entry -> new Location(entry.getKey(), view))
        .toList();
  }

  @Override
  public void prepare(ViewMetadata metadata) {
    before.run();
  }

  private final class Location implements MetadataLocation {
    private final String base;
    private final String view;

    private Location(String base, String view) {
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
      return new Read(base, view, locations.get(base));
    }

    @Override
    public long floor() {
      before.run();
      return floors.getOrDefault(view, 0L);
    }

    @Override
    public String floorName() {
      return "the floor of " + view;
    }

    @Override
    public void raiseFloor(long version) {
      before.run();
      floors.merge(view, version, Math::max);
    }
  }

  private final class Read implements MetadataLocation.Content {
    private final String base;
    private final String view;
    private final ViewMetadata seen;

    private Read(String base, String view, ViewMetadata seen) {
      this.base = base;
      this.view = view;
      this.seen = seen;
    }

    @Override
    public Optional<ViewMetadata> metadata() {
      return Optional.ofNullable(seen).filter(metadata -> metadata.view().equals(view));
    }

    @Override
    public List<ViewMetadata> ofOthers() {
      return Optional.ofNullable(seen).stream()
          .filter(metadata -> !metadata.view().equals(view))
          .toList();
    }

    @Override
    public boolean replace(ViewMetadata next) {
      before.run();
      // The same object: as if by the store's own version of the record.
      boolean same = locations.get(base) == seen;
      if (same) {
        locations.put(base, next);
      }
      return same;
    }

    @Override
    public boolean remove() {
      before.run();
      boolean same = locations.get(base) == seen;
      if (same) {
        locations.remove(base);
      }
      return same;
    }
  }
}
