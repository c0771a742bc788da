package io.indexview.streams.generation;

import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.generation.TopicDescriptions.Description;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Whether the change topic of a record set fits the state that was made from it: it is there, and
 * has as many partitions. Kafka Streams begins nothing at all while one does not. Safe for use by
 * several threads.
 */
public final class TopicFit {
  private final AppConfig config;
  private final TopicDescriptions topics;

  /**
   * Why events of a record set cannot be read.
   *
   * @param reason for people, with what helps
   * @param goneTopic the change topic if there is none
   */
  public record Misfit(String reason, Optional<String> goneTopic, InPlace inPlace) {}

  /**
   * What stands for the change topic meanwhile, so that other record sets keep their tasks.
   *
   * @param topic a changelog of the record set, which nobody writes now
   * @param hasMemory whether what tasks remember has as many partitions
   */
  public record InPlace(String topic, boolean hasMemory) {}

  public TopicFit(AppConfig config, TopicDescriptions topics) {
    this.config = config;
    this.topics = topics;
  }

  /** The topics of a record set that have to fit. */
  public static List<String> topics(AppConfig config, RecordSetConfig recordSet) {
    return List.of(
        recordSet.topic(), config.changelogTopic(recordSet), config.memoryTopic(recordSet));
  }

  /**
   * The record sets whose topics do not fit, by name.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   */
  public Map<String, Misfit> misfits() {
    Map<String, Description> existing =
        topics.existing(
            config.recordSets().stream()
                .flatMap(recordSet -> topics(config, recordSet).stream())
                .toList());
    Map<String, Misfit> misfits = new LinkedHashMap<>();
    config
        .recordSets()
        .forEach(
            recordSet ->
                misfit(recordSet, existing)
                    .ifPresent(misfit -> misfits.put(recordSet.name(), misfit)));
    return misfits;
  }

  /**
   * Empty: it fits, or there is no state yet.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   */
  public Optional<Misfit> misfit(RecordSetConfig recordSet) {
    return misfit(recordSet, topics.existing(topics(config, recordSet)));
  }

  private Optional<Misfit> misfit(RecordSetConfig recordSet, Map<String, Description> existing) {
    String records = config.changelogTopic(recordSet);
    String memory = config.memoryTopic(recordSet);
    OptionalInt ofRecords = partitions(existing.get(records));
    OptionalInt ofMemory = partitions(existing.get(memory));
    OptionalInt ofTopic = partitions(existing.get(recordSet.topic()));
    InPlace inPlace =
        new InPlace(
            ofRecords.isPresent() ? records : memory,
            ofRecords.isPresent() && (ofMemory.isEmpty() || ofMemory.equals(ofRecords)));
    for (Map.Entry<String, OptionalInt> changelog :
        List.of(Map.entry(records, ofRecords), Map.entry(memory, ofMemory))) {
      OptionalInt partitions = changelog.getValue();
      if (partitions.isPresent() && !partitions.equals(ofTopic)) {
        return Optional.of(
            new Misfit(
                reason(recordSet, ofTopic, changelog.getKey(), partitions.getAsInt()),
                ofTopic.isEmpty() ? Optional.of(recordSet.topic()) : Optional.empty(),
                inPlace));
      }
    }
    return Optional.empty();
  }

  private static OptionalInt partitions(Description found) {
    return found == null ? OptionalInt.empty() : OptionalInt.of(found.partitions());
  }

  private static String reason(
      RecordSetConfig recordSet, OptionalInt ofTopic, String changelog, int partitions) {
    return ofTopic.isEmpty()
        ? "topic %s is gone, so no events are read; create it again with %d partitions"
            .formatted(recordSet.topic(), partitions)
        : "topic %s has %d partitions, and the application's state has %d (topic %s): keys may lie in others than before, so events are not read any more; move the record set to another topic"
            .formatted(recordSet.topic(), ofTopic.getAsInt(), partitions, changelog);
  }
}
