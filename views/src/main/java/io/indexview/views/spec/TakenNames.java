package io.indexview.views.spec;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.StoreNames;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.layout.ViewMetadata;
import java.util.Map;
import java.util.TreeMap;

/**
 * The names in the targets that are not free for a view: those of the asks for others, and of their
 * generations whose rows are not gone, which may be of views that were dropped. For one use.
 */
public final class TakenNames {
  private final StoreNames names = new StoreNames();
  private final Map<String, RecordSet> recordSets;

  /**
   * @param recordSets by name
   */
  public TakenNames(Topics topics, Map<String, RecordSet> recordSets) {
    this.recordSets = recordSets;
    names.reserveTable(
        topics.prefix() + ViewMetadata.DYNAMODB_TABLE_SUFFIX, "the metadata of the views");
  }

  /**
   * Takes the keys of the KV store that primary records have.
   *
   * @param components first components of keys, by record set
   */
  public TakenNames withRecords(Map<String, String> components) {
    components.forEach((recordSet, component) -> names.reserveKeys(component, recordSet));
    return this;
  }

  /**
   * Takes the names of others than a view.
   *
   * @param specs by view
   * @param generations that are published
   * @throws IllegalStateException if one of them cannot be read by this release
   */
  public StoreNames besides(
      String view, Map<String, ViewSpec> specs, Map<String, PublishedGeneration> generations) {
    new TreeMap<>(specs)
        .values().stream()
            .filter(spec -> !spec.view().equals(view))
            .forEach(spec -> take(spec.definition(), "view \"%s\"".formatted(spec.view())));
    new TreeMap<>(generations)
        .values().stream()
            .filter(generation -> !generation.view().equals(view))
            .forEach(
                generation ->
                    take(
                        generation.definition(),
                        "generation %d of view \"%s\""
                            .formatted(generation.generation(), generation.view())));
    return names;
  }

  private void take(String json, String owner) {
    ViewDefinition definition;
    try {
      definition = ViewDefinition.fromJson(json);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "%s cannot be read by this release; upgrade this part of Indexview".formatted(owner), e);
    }
    names.claim(definition, recordSets.get(definition.source()), owner);
  }
}
