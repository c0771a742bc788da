package io.indexview.streams.generation;

import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import java.util.List;
import java.util.Map;

/**
 * The view files of the application.
 *
 * @param views valid ones
 * @param recordSets by name
 */
public record LoadedViews(List<ViewDefinition> views, Map<String, RecordSet> recordSets) {
  public LoadedViews {
    views = List.copyOf(views);
    recordSets = Map.copyOf(recordSets);
  }
}
