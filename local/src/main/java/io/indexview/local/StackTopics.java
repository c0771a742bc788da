package io.indexview.local;

import io.indexview.schemas.Topics;
import io.indexview.streams.generation.AppTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Creates the topics that parts read before anybody writes them. */
final class StackTopics {
  private static final short REPLICATION = 1;

  /** Above the 14 days that SQS may keep a message; log compaction would lose newest versions. */
  private static final Duration CHANGES_RETENTION = Duration.ofDays(15);

  private static final Map<String, String> TIMED =
      Map.of(
          "cleanup.policy", "delete", "retention.ms", Long.toString(CHANGES_RETENTION.toMillis()));
  private static final Map<String, String> COMPACTED = Map.of("cleanup.policy", "compact");

  private final String bootstrapServers;
  private final Topics topics;

  StackTopics(String bootstrapServers, Topics topics) {
    this.bootstrapServers = bootstrapServers;
    this.topics = topics;
  }

  /** Creates the control and dead-letter topics that do not exist yet. */
  void createControlTopics() {
    List<NewTopic> wanted = new ArrayList<>();
    for (String name :
        List.of(
            topics.sourceStates(),
            topics.sourceRequests(),
            topics.recordSets(),
            topics.viewDefinitions(),
            topics.viewGenerations(),
            topics.viewProgress(),
            topics.viewStates(),
            topics.viewVerifications(),
            topics.viewRepairs())) {
      wanted.add(topic(name, 1, COMPACTED));
    }
    for (String name :
        List.of(topics.deadLetters(), topics.deadLetters("kv"), topics.deadLetters("dynamodb"))) {
      wanted.add(topic(name, 1, AppTopics.DEAD_LETTERS_STAY));
    }
    createMissing(wanted);
  }

  /** Creates the primary-change topics of record sets that do not exist yet. */
  void createChangeTopics(Collection<String> recordSets, int partitions) {
    createMissing(
        recordSets.stream()
            .map(recordSet -> topic(topics.changes(recordSet), partitions, TIMED))
            .toList());
  }

  private static NewTopic topic(String name, int partitions, Map<String, String> config) {
    return new NewTopic(name, partitions, REPLICATION).configs(config);
  }

  private void createMissing(List<NewTopic> wanted) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", (Object) bootstrapServers))) {
      Set<String> existing = admin.listTopics().names().get();
      admin
          .createTopics(wanted.stream().filter(t -> !existing.contains(t.name())).toList())
          .all()
          .get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while creating topics", e);
    } catch (ExecutionException e) {
      throw new StackException("cannot create topics: " + e.getCause().getMessage(), e.getCause());
    }
  }
}
