package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RefusingTopics;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * What all tasks of the application share; each part is safe for use by several threads.
 *
 * @param generations reads what is published of them
 * @param position how far the application has come
 * @param topics which topics there are
 * @param changelogRestore opens when the state was restored after a generation was created
 * @param changeTopicReaders the primary-change topics, to be read again
 * @param failedEvents those of the process
 * @param trimmedEvents likewise
 * @param refusingTopics likewise
 */
public record TaskServices(
    DeriverServices deriving,
    GenerationReader generations,
    AppPosition position,
    TopicIdentity topics,
    BuildGate changelogRestore,
    ChangeTopicReaders changeTopicReaders,
    FailedEvents failedEvents,
    TrimmedEvents trimmedEvents,
    RefusingTopics refusingTopics) {

  /** How far the application has come with its topics. */
  @FunctionalInterface
  public interface AppPosition {

    /**
     * Whether everything before an offset is processed and committed. Returns at once, and may say
     * no for a while although it is so.
     *
     * @param topicId Kafka's id of the topic that the offset is of: what is known of an earlier
     *     topic of the name says nothing of this one
     */
    boolean hasPassed(String topicId, TopicPartition partition, long offset);
  }

  /** Which topic there is: one that was deleted and created again is another one. */
  @FunctionalInterface
  public interface TopicIdentity {

    /**
     * Kafka's id of a topic as it was a little while ago; empty while it is not known. Returns at
     * once.
     */
    Optional<String> of(String topic);

    /** Kafka's id of a topic as it is now; waits for it, but not for ever. */
    default Optional<String> now(String topic) {
      return of(topic);
    }
  }

  /** Says whether the state is such that a generation may be built from it. */
  @FunctionalInterface
  public interface BuildGate {

    /**
     * What the build waits for, for people; empty: nothing. Asked several times a second, so it
     * returns at once.
     */
    String waitsFor(PublishedGeneration generation);
  }

  /** Opens primary-change topics to be read again. */
  @FunctionalInterface
  public interface ChangeTopicReaders {

    /** Returns at once; fails if the cluster does not answer. Who asked closes what was opened. */
    CompletableFuture<ReplayReader> open(TopicPartition partition);
  }
}
