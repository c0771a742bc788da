package io.indexview.streams.derive;

import io.indexview.schemas.change.RecordFormat;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.Schema;

/** What one task derives now. Not safe for use by several threads. */
public final class ViewPlans {
  private final RecordFormat format;
  private final DeriverServices services;
  private List<ReaderGroup> groups = List.of();

  /** Derives nothing yet. */
  public ViewPlans(RecordFormat format, DeriverServices services) {
    this.format = format;
    this.services = services;
  }

  /**
   * Derives these views from now on, and no others.
   *
   * @throws RuntimeException if one of them cannot be compiled; nothing has changed then
   */
  public void become(Collection<FollowedView> views) {
    Map<Integer, List<FollowedView>> byReader =
        views.stream()
            .collect(
                Collectors.groupingBy(
                    view -> view.frozen().readerSchemaId(),
                    LinkedHashMap::new,
                    Collectors.toList()));
    groups =
        byReader.values().stream()
            .map(members -> ReaderGroup.of(members, format, this::schema))
            .toList();
  }

  List<ReaderGroup> groups() {
    return groups;
  }

  private Schema schema(int id) {
    return services.registryWait().get(() -> services.registry().byId(id));
  }
}
