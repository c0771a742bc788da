package io.indexview.client.admin;

import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The views of an installation.
 *
 * @param topicPrefix of the installation
 * @param names of all, those that are being deleted included
 * @param uids by name, of those that have a state, see {@link
 *     io.indexview.schemas.control.ViewState#uid}
 * @param generations whose rows there are, or may come, in whatever target
 */
public record KnownViews(
    String topicPrefix,
    Set<String> names,
    Map<String, String> uids,
    List<ViewGeneration> generations) {
  public KnownViews {
    names = Set.copyOf(names);
    uids = Map.copyOf(uids);
    generations = List.copyOf(generations);
  }

  /** These and others of the installation. */
  public KnownViews with(KnownViews others) {
    Set<String> allNames = new HashSet<>(names);
    allNames.addAll(others.names);
    Map<String, String> allUids = new HashMap<>(uids);
    allUids.putAll(others.uids);
    List<ViewGeneration> all = new ArrayList<>(generations);
    all.addAll(others.generations);
    return new KnownViews(topicPrefix, allNames, allUids, all);
  }

  /**
   * The index names below a prefix of the KV store.
   *
   * @param prefix first component of rows
   */
  public Set<String> indexNames(String prefix) {
    return generations.stream()
        .filter(
            generation ->
                generation.definition().target() instanceof Target.Kv kv
                    && kv.prefix().equals(prefix))
        .map(ViewGeneration::storeName)
        .collect(Collectors.toSet());
  }

  /**
   * Why metadata is of none of these views; empty: it is of one.
   *
   * @param view whose it says it is
   * @param text as of {@link ViewMetadata#toJson}
   */
  public Optional<String> disowns(String view, String text) {
    if (!names.contains(view)) {
      return Optional.of("there is no view \"%s\"".formatted(view));
    }
    String uid = ViewMetadata.uidIn(text).orElse("");
    return Optional.ofNullable(uids.get(view))
        .filter(own -> !own.equals(uid))
        .map(
            own ->
                "it is of a view \"%s\" of another installation: its uid is \"%s\", that of the view here \"%s\""
                    .formatted(view, uid, own));
  }

  /** The table of the views' metadata in DynamoDB. */
  public String metadataTable() {
    return topicPrefix + ViewMetadata.DYNAMODB_TABLE_SUFFIX;
  }
}
