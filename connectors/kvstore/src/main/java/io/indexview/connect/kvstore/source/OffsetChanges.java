package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Offsets that somebody wants a connector to have. A null offset is always right: it resets a
 * source partition, or clears away what an earlier configuration left. Others must be for a source
 * partition that the connector has, and hold what it would write itself: Connect would keep
 * anything else, and never find it again.
 */
final class OffsetChanges {
  private final String source;
  private final Set<String> topics = new TreeSet<>();
  private final List<String> problems = new ArrayList<>();

  OffsetChanges(KvStoreSourceConfig config) {
    this.source = config.source().name();
    config.recordSets().names().stream()
        .map(name -> config.recordSets().recordSet(name).topic())
        .forEach(topics::add);
  }

  /**
   * @throws ConnectException naming everything that is wrong, each with its field and value
   */
  void validate(Map<Map<String, ?>, Map<String, ?>> offsets) {
    offsets.forEach(
        (partition, offset) -> {
          if (offset != null) {
            checked(() -> validatePartition(partition));
            checked(() -> validateOffset(offset));
          }
        });
    if (!problems.isEmpty()) {
      throw new ConnectException(String.join("; ", problems));
    }
  }

  private void checked(Runnable check) {
    try {
      check.run();
    } catch (ConnectException e) {
      problems.add(e.getMessage());
    }
  }

  private void validatePartition(Map<String, ?> fields) {
    KvStoreSourcePartition partition = KvStoreSourcePartition.fromMap(fields);
    requireOnly("source partition", fields.keySet(), partition.toMap().keySet());
    require(fields, "source", source.equals(partition.source()), "source.name is " + source);
    require(fields, "topic", topics.contains(partition.topic()), "the record sets' are " + topics);
    String sourcePartition = KvStoreSourceSession.ONLY_PARTITION;
    require(
        fields,
        "sourcePartition",
        sourcePartition.equals(partition.sourcePartition()),
        "there is only " + sourcePartition);
  }

  private static void require(
      Map<String, ?> partition, String field, boolean right, String remedy) {
    if (!right) {
      throw new ConnectException(
          "source partition field %s: %s; %s".formatted(field, partition.get(field), remedy));
    }
  }

  private static void validateOffset(Map<String, ?> fields) {
    KvStoreSourceOffset offset = KvStoreSourceOffset.fromMap(fields);
    requireOnly("source offset", fields.keySet(), offset.toMap().keySet());
  }

  private static void requireOnly(String what, Set<String> given, Set<String> known) {
    Set<String> unknown = new HashSet<>(given);
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new ConnectException(
          "%s fields %s are not known here; leave them out, known are %s"
              .formatted(what, new TreeSet<>(unknown), new TreeSet<>(known)));
    }
  }
}
