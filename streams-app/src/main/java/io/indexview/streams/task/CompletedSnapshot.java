package io.indexview.streams.task;

import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.state.TopicIncarnation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An ad-hoc snapshot, as it concerns one partition: all sources of a topic published every record
 * again. Each source answers for its own keys since its own begin: what one has published later
 * says nothing of what only another one knows.
 *
 * @param topicId Kafka's id of the topic
 * @param answers of all source partitions of all sources
 */
record CompletedSnapshot(String topicId, List<Answer> answers) {
  CompletedSnapshot {
    Objects.requireNonNull(topicId, "topicId");
    answers = List.copyOf(answers);
  }

  /**
   * What one source partition published.
   *
   * @param id see {@link CompleteScan.Part#id}
   * @param scope the keys that it published all records of
   * @param begin position where the partition ended before it began
   */
  record Answer(String id, KeyScope scope, long begin) {}

  static CompletedSnapshot of(CompleteScan scan, int partition, TopicIncarnation incarnation) {
    return new CompletedSnapshot(
        scan.topicId(),
        scan.parts().stream()
            .map(
                part ->
                    new Answer(
                        part.id(),
                        part.scope().orElseThrow(),
                        incarnation.position(part.begin(partition))))
            .toList());
  }

  /**
   * Whether a record is gone: somebody answers for it, and all who do began since its last event.
   *
   * @param touched position of that event
   */
  boolean isGone(byte[] key, long touched) {
    boolean isAnsweredFor = false;
    for (Answer answer : answers) {
      if (answer.scope().contains(key)) {
        if (answer.begin() <= touched) {
          return false;
        }
        isAnsweredFor = true;
      }
    }
    return isAnsweredFor;
  }

  /** Position where the first of those who answer for a key began; if nobody does, before all. */
  long begin(byte[] key) {
    return answers.stream()
        .filter(answer -> answer.scope().contains(key))
        .mapToLong(Answer::begin)
        .min()
        .orElse(Long.MIN_VALUE);
  }

  /** Whether all that is gone by another one is gone by this one too. */
  boolean supersedes(CompletedSnapshot other) {
    Map<String, Answer> own =
        answers.stream().collect(Collectors.toMap(Answer::id, Function.identity()));
    long latest = Long.MIN_VALUE;
    for (Answer answer : other.answers()) {
      Answer later = own.remove(answer.id());
      if (later == null || later.begin() < answer.begin()) {
        return false;
      }
      latest = Math.max(latest, answer.begin());
    }
    for (Answer another : own.values()) {
      if (another.begin() < latest) {
        return false;
      }
    }
    return true;
  }

  /** Offsets where the answers began, by their ids. */
  Map<String, Long> begins() {
    return answers.stream()
        .collect(Collectors.toMap(Answer::id, answer -> TopicIncarnation.offset(answer.begin())));
  }
}
