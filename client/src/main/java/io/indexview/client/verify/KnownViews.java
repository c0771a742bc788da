package io.indexview.client.verify;

import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The views of an installation.
 *
 * @param topicPrefix of the installation
 * @param names of all, those that are being deleted included
 * @param generations whose rows there are, or may come, in whatever target
 */
public record KnownViews(String topicPrefix, Set<String> names, List<ViewGeneration> generations) {
  public KnownViews {
    names = Set.copyOf(names);
    generations = List.copyOf(generations);
  }

  /** These and others of the installation. */
  public KnownViews with(KnownViews others) {
    Set<String> allNames = new HashSet<>(names);
    allNames.addAll(others.names);
    List<ViewGeneration> all = new ArrayList<>(generations);
    all.addAll(others.generations);
    return new KnownViews(topicPrefix, allNames, all);
  }

  /**
   * The index names below a prefix of the KV store.
   *
   * @param prefix first component of rows
   */
  Set<String> indexNames(String prefix) {
    return generations.stream()
        .filter(
            generation ->
                generation.definition().target() instanceof Target.Kv kv
                    && kv.prefix().equals(prefix))
        .map(ViewGeneration::storeName)
        .collect(Collectors.toSet());
  }

  /** The table of the views' metadata in DynamoDB. */
  String metadataTable() {
    return topicPrefix + ViewMetadata.DYNAMODB_TABLE_SUFFIX;
  }
}
