package io.indexview.client.token;

import io.indexview.client.poll.LruCache;
import io.indexview.client.poll.PollTimer;
import io.indexview.client.poll.SharedPoll;
import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.progress.GroupProgress.Taken;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Waits until views include writes. A write is visible when the streams application has committed
 * past its change event, and the sink has then applied all that was committed to the same-numbered
 * partition of the serving generation's view topic. Thread-safe; many who wait for the same
 * partition share one poll.
 */
public final class FreshnessGate implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration MAX_PAUSE = Duration.ofMillis(50);
  private static final int POLLS = 1_024;

  private final PipelinePositions positions;
  private final Supplier<List<RecordSetInfo>> published;
  private final RejectedRows rejected;
  private final Map<String, RecordSetInfo> recordSets = new ConcurrentHashMap<>();
  private final LruCache<String, SharedPoll<Optional<PipelinePositions.Topic>>> topics;
  private final LruCache<Follow, SharedPoll<OptionalLong>> processed;
  private final LruCache<Follow, SharedPoll<Taken>> applied;

  private record Follow(String group, TopicPartition partition) {}

  FreshnessGate(
      PipelinePositions positions, Topics topicNames, Supplier<List<RecordSetInfo>> recordSets) {
    this.positions = positions;
    this.rejected = new RejectedRows(positions, topicNames);
    this.published = Objects.requireNonNull(recordSets, "recordSets");
    this.topics = new LruCache<>(POLLS, name -> new SharedPoll<>(() -> positions.topic(name)));
    this.processed =
        new LruCache<>(
            POLLS, f -> new SharedPoll<>(() -> positions.committed(f.group, f.partition)));
    this.applied =
        new LruCache<>(POLLS, f -> new SharedPoll<>(() -> positions.taken(f.group, f.partition)));
  }

  /**
   * Opens the gate on a cluster.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param topics of the installation, those of the dead letters of its targets included
   * @param recordSets what the streams application has published, as {@link
   *     io.indexview.client.admin.ViewAdmin#recordSets} tells it
   */
  public static FreshnessGate connect(
      Map<String, Object> kafka, Topics topics, Supplier<List<RecordSetInfo>> recordSets) {
    return new FreshnessGate(KafkaPositions.connect(kafka), topics, recordSets);
  }

  /**
   * Waits until the rows of the serving generation include a write.
   *
   * @param view of which a generation serves
   * @return why the rows may be wrong nevertheless: the sink took one that it could not apply, and
   *     the view's state may not say so yet; empty: nothing says so
   * @throws InvalidFreshnessTokenException if the token is of other records than the view's, or of
   *     a topic that was deleted since
   * @throws NotVisibleException if the write is not visible in time
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   * @throws org.apache.kafka.common.errors.InterruptException if the thread is interrupted
   */
  public Optional<String> await(FreshnessToken token, ViewMetadata view, Duration timeout) {
    ViewGeneration serving =
        view.serving()
            .orElseThrow(
                () -> new IllegalArgumentException("view " + view.view() + " serves nothing"));
    Wait wait = new Wait(token, view.view(), timeout);
    wait.requireTopicOf(serving);
    wait.forApplication(application(serving.recordSet().name(), wait));
    long upTo =
        wait.forSink(view.sinkGroup(), new TopicPartition(serving.viewTopic(), token.partition()));
    return rejected.in(serving, token.partition(), upTo);
  }

  /**
   * The application of a record set. A running one may yet have to publish it again, if its topic
   * was lost.
   */
  private String application(String recordSet, Wait wait) {
    RecordSetInfo known = recordSets.get(recordSet);
    while (known == null) {
      known =
          published.get().stream()
              .filter(info -> info.name().equals(recordSet))
              .findFirst()
              .orElse(null);
      if (known != null) {
        recordSets.put(recordSet, known);
      } else if (!wait.timer.pause()) {
        throw wait.notVisible(
            "no streams application has published record set \"%s\" yet; is it in record.sets of one that runs?"
                .formatted(recordSet));
      }
    }
    return known.application();
  }

  /** The wait of one call. */
  private final class Wait {
    private final FreshnessToken token;
    private final String view;
    private final Duration timeout;
    private final PollTimer timer;

    Wait(FreshnessToken token, String view, Duration timeout) {
      this.token = token;
      this.view = view;
      this.timeout = timeout;
      this.timer = new PollTimer(timeout, FIRST_PAUSE, MAX_PAUSE);
    }

    void requireTopicOf(ViewGeneration serving) {
      if (!token.topic().equals(serving.sourceTopic())) {
        throw new InvalidFreshnessTokenException(
            "it is of a write to topic %s, but view \"%s\" is of record set \"%s\", whose topic is %s"
                .formatted(token.topic(), view, serving.recordSet().name(), serving.sourceTopic()));
      }
      if (token.topicId().isPresent()) {
        requireTopic();
      }
    }

    private void requireTopic() {
      PipelinePositions.Topic topic =
          topics.get(token.topic()).now().orElseThrow(() -> lost("there is no such topic"));
      if (token.topicId().filter(id -> !id.equals(topic.id())).isPresent()) {
        throw lost("the topic was created anew since");
      }
      if (token.partition() >= topic.partitions()) {
        throw lost("the topic has %d partitions".formatted(topic.partitions()));
      }
    }

    /** What no topic holds would be waited for in vain. */
    private void requireRecord() {
      requireTopic();
      long end = positions.end(new TopicPartition(token.topic(), token.partition()));
      if (token.offset() >= end) {
        throw lost("the partition ends at offset %d; was the topic created anew?".formatted(end));
      }
    }

    private InvalidFreshnessTokenException lost(String cause) {
      return new InvalidFreshnessTokenException(
          "the write at %s is not to be found: %s".formatted(token, cause));
    }

    void forApplication(String application) {
      TopicPartition partition = new TopicPartition(token.topic(), token.partition());
      SharedPoll<OptionalLong> poll = processed.get(new Follow(application, partition));
      OptionalLong committed = poll.now();
      if (committed.orElse(0) > token.offset()) {
        return;
      }
      requireRecord();
      while (timer.pause()) {
        committed = poll.now();
        if (committed.orElse(0) > token.offset()) {
          return;
        }
      }
      // What is known of the record sets may have grown old.
      recordSets.clear();
      throw notVisible(
          "the streams application %s has processed this partition up to offset %s"
              .formatted(
                  application,
                  committed.isPresent() ? committed.getAsLong() + "" : "(none committed)"));
    }

    /**
     * Waits until the sink has applied what the view topic holds now, and returns up to which
     * offset that is.
     */
    long forSink(String group, TopicPartition partition) {
      SharedPoll<Taken> poll = applied.get(new Follow(group, partition));
      Taken taken = poll.now();
      long end = taken.end();
      while (taken.upTo() < end) {
        if (!timer.pause()) {
          throw notVisible(
              "the sink %s has applied %s up to offset %d of %d"
                  .formatted(group, partition, taken.upTo(), end));
        }
        taken = poll.now();
      }
      return taken.upTo();
    }

    NotVisibleException notVisible(String missing) {
      return new NotVisibleException(view, token, timeout, missing);
    }
  }

  @Override
  public void close() {
    positions.close();
  }

  /**
   * A view did not include a write in time. It will, unless a part of the pipeline stands still.
   */
  public static final class NotVisibleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param missing who has not got there yet, and how far it is
     */
    public NotVisibleException(
        String view, FreshnessToken token, Duration timeout, String missing) {
      super(
          "View \"%s\" does not include the write at %s after %d ms: %s"
              .formatted(view, token, timeout.toMillis(), missing));
    }
  }
}
