package io.indexview.streams.generation;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides for each view whether it is kept, frozen anew or refused; changes nothing. */
final class StartPlan {
  private static final Logger LOGGER = LoggerFactory.getLogger(StartPlan.class);

  private final AppConfig config;
  private final Cluster cluster;
  private final Map<String, Integer> partitions;
  private final List<PublishedGeneration> kept = new ArrayList<>();
  private final List<ViewDefinition> fresh = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  /**
   * @param partitions of the source topics, by record set
   */
  StartPlan(AppConfig config, Cluster cluster, Map<String, Integer> partitions) {
    this.config = config;
    this.cluster = cluster;
    this.partitions = partitions;
  }

  void add(ViewDefinition view, Optional<PublishedGeneration> published) {
    if (published.isEmpty()) {
      addFresh(view);
    } else if (published.get().definition().equals(view.toJson())) {
      addKept(published.get());
    } else {
      problems.add(
          "view \"%s\": its definition is not the one that generation %d was frozen from; a view that exists cannot be changed yet: restore the file to %s, or start a new installation (topic.prefix, application.id, state.dir)"
              .formatted(view.name(), published.get().generation(), published.get().definition()));
    }
  }

  /** A view whose file is gone keeps its rows up to date: dropping a view is said, not implied. */
  void addWithoutFile(PublishedGeneration published) {
    LOGGER.warn(
        "View {} has no file any more; its rows are still kept up to date", published.view());
    addKept(published);
  }

  private void addFresh(ViewDefinition view) {
    RecordSetConfig recordSet = recordSet(view.source()).orElseThrow();
    if (hasDerived(recordSet)) {
      problems.add(
          "view \"%s\": is new, but application \"%s\" has derived from topic %s before, so the earlier records would be missing; remove the file, or start with another application.id (and state.dir) while the topic still holds every event"
              .formatted(view.name(), config.applicationId(), recordSet.topic()));
    } else {
      String viewTopic = config.topics().view(view.target().type(), view.name(), 1);
      checkPartitions(view.name(), viewTopic, partitions.get(view.source()));
      fresh.add(view);
    }
  }

  private void addKept(PublishedGeneration published) {
    Optional<RecordSetConfig> recordSet = recordSet(published.recordSet());
    if (recordSet.isEmpty() || !recordSet.get().topic().equals(published.sourceTopic())) {
      problems.add(
          "view \"%s\": generation %d reads record set \"%s\" from topic %s; record.sets must keep both"
              .formatted(
                  published.view(),
                  published.generation(),
                  published.recordSet(),
                  published.sourceTopic()));
      return;
    }
    if (published.encodingVersion() > ViewGeneration.ENCODING_VERSION) {
      problems.add(
          "view \"%s\": generation %d has encoding version %d, this release knows up to %d; use the newer release"
              .formatted(
                  published.view(),
                  published.generation(),
                  published.encodingVersion(),
                  ViewGeneration.ENCODING_VERSION));
    }
    if (cluster.partitions(published.viewTopic()).isEmpty() && hasDerived(recordSet.get())) {
      problems.add(
          "view \"%s\": its topic %s is gone, and with it the rows that were published before; start with another application.id (and state.dir) while topic %s still holds every event"
              .formatted(published.view(), published.viewTopic(), published.sourceTopic()));
    }
    checkPartitions(published.view(), published.viewTopic(), partitions.get(published.recordSet()));
    kept.add(published);
  }

  /** The brokers forget the offsets of an idle group; the state outlives them. */
  private boolean hasDerived(RecordSetConfig recordSet) {
    return cluster.hasProgress(recordSet.topic())
        || cluster.partitions(config.changelogTopic(recordSet)).isPresent();
  }

  /** Events that nobody read are gone without a trace: the views would be wrong from then on. */
  void checkNothingSkipped() {
    for (RecordSetConfig recordSet : config.recordSets()) {
      Set<Integer> skipped = cluster.skipped(recordSet.topic());
      if (!skipped.isEmpty()) {
        problems.add(
            "record set \"%s\": partitions %s of topic %s were trimmed past what the application had read, so events are lost; publish every record again (a source's offsets reset), start with another application.id (and state.dir), and keep the topic longer"
                .formatted(recordSet.name(), skipped, recordSet.topic()));
      }
    }
  }

  private void checkPartitions(String view, String viewTopic, int expected) {
    OptionalInt found = cluster.partitions(viewTopic);
    if (found.isPresent() && found.getAsInt() != expected) {
      problems.add(
          "view \"%s\": topic %s has %d partitions, its source topic has %d; both must have the same number"
              .formatted(view, viewTopic, found.getAsInt(), expected));
    }
  }

  private Optional<RecordSetConfig> recordSet(String name) {
    return config.recordSets().stream().filter(set -> set.name().equals(name)).findFirst();
  }

  /**
   * @throws InvalidConfigException naming everything that is refused
   */
  void requireNoProblem() {
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("The views cannot be started", problems);
    }
  }

  List<PublishedGeneration> kept() {
    return kept;
  }

  List<ViewDefinition> fresh() {
    return fresh;
  }
}
