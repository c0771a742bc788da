package io.indexview.schemas.progress;

import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's ids of topics, by which one that was deleted and created again is known from the one
 * before. Asks only while somebody wants to know, and does not ask again while it waits for an
 * answer. Moments are those of {@link System#nanoTime}: the wall clock may be set back, and an
 * answer would be of now for as long as the step. Safe for use by several threads.
 */
public final class TopicIds {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopicIds.class);
  private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(500);

  /** Timeout of each of the two requests that a question takes: another broker may answer them. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);

  /** An answer that is not there by then is no longer waited for. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  private final Function<String, CompletionStage<String>> admin;
  private final Time time;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Map<String, Question> questions = new ConcurrentHashMap<>();
  private final Map<String, Long> warnings = new ConcurrentHashMap<>();

  /**
   * @param askedAt the answer is true of some moment since
   */
  private record Answer(String id, long askedAt) {}

  private record Question(long askedAt, CompletableFuture<String> answer) {}

  /**
   * @param admin stays open
   */
  public TopicIds(Admin admin) {
    this(admin, Time.SYSTEM);
  }

  TopicIds(Admin admin, Time time) {
    this(topic -> ask(admin, topic), time);
  }

  /**
   * @param admin answers with the id of a topic, or fails, in a bounded time
   */
  TopicIds(Function<String, CompletionStage<String>> admin, Time time) {
    this.admin = admin;
    this.time = time;
  }

  private static CompletionStage<String> ask(Admin admin, String topic) {
    return admin
        .describeTopics(
            List.of(topic), new DescribeTopicsOptions().timeoutMs((int) REQUEST_TIMEOUT.toMillis()))
        .topicNameValues()
        .get(topic)
        .toCompletionStage()
        .thenApply(description -> description.topicId().toString());
  }

  /**
   * The id that a topic had at some moment since an earlier one; empty while that is not known, or
   * if there is no such topic. Returns at once.
   */
  public Optional<String> since(String topic, long moment) {
    Answer answer = answers.get(topic);
    if (answer != null && answer.askedAt() - moment >= 0) {
      return Optional.of(answer.id());
    }
    ask(topic);
    return Optional.empty();
  }

  /**
   * The id that a topic has at some moment since this was called; empty if nobody tells it within a
   * time, or there is no such topic.
   */
  public Optional<String> now(String topic, Duration timeout) {
    long askedAt = time.nanoTime();
    try {
      String id =
          admin.apply(topic).toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      answered(topic, askedAt, id, null);
      return Optional.of(id);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.debug("The id of topic {} is not known now", topic, e);
      return Optional.empty();
    }
  }

  private synchronized void ask(String topic) {
    long now = time.nanoTime();
    Question before = questions.get(topic);
    boolean isDue =
        before == null
            || now - before.askedAt()
                >= (before.answer().isDone() ? BETWEEN_QUESTIONS : MAX_WAIT).toNanos();
    if (isDue) {
      CompletableFuture<String> answer = admin.apply(topic).toCompletableFuture();
      questions.put(topic, new Question(now, answer));
      answer.whenComplete((id, failure) -> answered(topic, now, id, failure));
    }
  }

  private void answered(String topic, long askedAt, String id, Throwable failure) {
    if (failure == null) {
      Answer answer = new Answer(id, askedAt);
      answers.merge(topic, answer, (a, b) -> a.askedAt() - b.askedAt() > 0 ? a : b);
    } else {
      LOGGER.debug("The id of topic {} is not known now", topic, failure);
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      if (cause instanceof UnknownTopicOrPartitionException) {
        tellMissing(topic, askedAt);
      }
    }
  }

  private void tellMissing(String topic, long now) {
    Long before = warnings.get(topic);
    if (before == null || now - before >= BETWEEN_WARNINGS.toNanos()) {
      warnings.put(topic, now);
      LOGGER.warn(
          "Topic {} does not exist; it is waited for: create it, or start what writes it, if the brokers let that create topics",
          topic);
    }
  }
}
