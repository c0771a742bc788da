package io.indexview.connect.common.metadata;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.common.row.ViewTopicControl;
import io.indexview.connect.common.sink.CommittableOffsets;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.UnexpectedRemoval;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps rows of a view out of a target, and those that are there in it, while the target's metadata
 * is of another view: of one of the name in another installation, or of one whose rows would lie
 * among these. Readers take all rows for that one's. What comes meanwhile is held off, not kept,
 * and read again from its first record once the metadata is another. So the command that ends a
 * partition is seen, and a view that is held off can be dropped. For one thread, but for {@link
 * #keeps}.
 */
public final class InstallationFence {
  /** How long a target is not asked again that holds rows off. */
  static final Duration HELD = Duration.ofSeconds(15);

  /** How long a target is not asked again whose metadata is that of a built view: it may go. */
  static final Duration OWN = Duration.ofMinutes(1);

  /**
   * How long a target is not asked again that has no metadata, or such as may be taken back:
   * another installation may be about to write it.
   */
  static final Duration UNDESCRIBED = Duration.ofSeconds(1);

  private static final Logger LOGGER = LoggerFactory.getLogger(InstallationFence.class);

  private final MetadataStore store;
  private final SinkTaskContext context;
  private final CommittableOffsets offsets;
  private final Time time;
  private final GenerationCache<ViewGeneration> generations =
      new GenerationCache<>(generation -> generation);

  /** Answers of the targets by view topic. */
  private final Map<String, Answer> answers = new HashMap<>();

  /** The first record of each partition that was held off. */
  private final Map<TopicPartition, Long> heldFrom = new HashMap<>();

  /**
   * First record that was held off, of partitions that are to be read again from there, but have
   * not yet been.
   */
  private final Map<TopicPartition, Long> rewound = new HashMap<>();

  /**
   * @param offsets of what was admitted
   */
  public InstallationFence(
      MetadataStore store, SinkTaskContext context, CommittableOffsets offsets, Time time) {
    this.store = store;
    this.context = context;
    this.offsets = offsets;
    this.time = time;
  }

  /** The records that may be applied. Throws the store's own exceptions: then nothing was taken. */
  public List<SinkRecord> admit(Collection<SinkRecord> records) {
    // The worker goes to the offsets that it was given before it reads on.
    rewound.clear();
    for (String topic : heldTopics()) {
      isForeign(topic, answers.get(topic).generation);
    }
    List<SinkRecord> admitted = new ArrayList<>();
    for (SinkRecord record : records) {
      TopicPartition partition = CommittableOffsets.partition(record);
      if (isEnd(record)) {
        end(partition, record);
      } else if (isHeld(partition, record)) {
        heldFrom.merge(partition, record.originalKafkaOffset(), Math::min);
      } else {
        admitted.add(record);
      }
    }
    return admitted;
  }

  /** What was held off may have been admitted before, in a batch that came again. */
  private void end(TopicPartition partition, SinkRecord end) {
    Long first = heldFrom.remove(partition);
    if (first != null) {
      offsets.giveUp(partition, first, end.originalKafkaOffset());
    }
  }

  /**
   * Makes the worker read again what was held off, where it may be applied now. Call it when all
   * that was admitted is taken, so that none of it comes again out of order.
   */
  public void goOn() {
    for (String topic : heldTopics()) {
      Answer answer = answers.get(topic);
      if (answer.obstacle.isEmpty()) {
        LOGGER.info(
            "View {} generation {}: its rows are written from now on",
            answer.generation.view(),
            answer.generation.number());
        heldFrom.forEach(
            (partition, offset) -> {
              if (partition.topic().equals(topic)) {
                context.offset(partition, offset);
                rewound.put(partition, offset);
              }
            });
        heldFrom.keySet().removeAll(rewound.keySet());
      }
    }
  }

  /**
   * Offsets that {@code preCommit} may commit of what was admitted: none beyond what was held off.
   *
   * @param consumed as of {@link CommittableOffsets#committable}
   */
  public Map<TopicPartition, OffsetAndMetadata> committable(
      Map<TopicPartition, OffsetAndMetadata> consumed) {
    Map<TopicPartition, OffsetAndMetadata> committable = offsets.committable(consumed);
    for (Map<TopicPartition, Long> waiting : List.of(heldFrom, rewound)) {
      waiting.forEach(
          (partition, offset) ->
              committable.merge(
                  partition,
                  new OffsetAndMetadata(offset),
                  (known, first) -> known.offset() <= first.offset() ? known : first));
    }
    return committable;
  }

  /**
   * Forgets partitions that were revoked: other tasks have them now, and others may write metadata.
   */
  public void forget(Collection<TopicPartition> revoked) {
    heldFrom.keySet().removeAll(revoked);
    rewound.keySet().removeAll(revoked);
    answers.keySet().retainAll(heldTopics());
  }

  /**
   * Whether no row of a generation may be removed, since all are another view's; says so. For any
   * thread. Throws the store's own exceptions.
   *
   * @throws RetriableException if the metadata cannot be read
   */
  public boolean keeps(ViewGeneration generation) {
    Optional<String> obstacle;
    try {
      obstacle = described(generation).flatMap(described -> described.obstacle(generation));
    } catch (DataException e) {
      throw new RetriableException(e.getMessage(), e);
    }
    obstacle.ifPresent(
        cause ->
            LOGGER.warn(
                "View {} generation {}: no rows are removed, since {}. Were some written before that was there? A verification of the other view finds them",
                generation.view(),
                generation.number(),
                cause));
    return obstacle.isPresent();
  }

  private static boolean isEnd(SinkRecord record) {
    try {
      return ViewTopicControl.isEnd(record);
    } catch (DataException e) {
      // Whoever applies it says so.
      LOGGER.debug("A command that cannot be read", e);
      return false;
    }
  }

  private boolean isHeld(TopicPartition partition, SinkRecord record) {
    return heldFrom.containsKey(partition)
        || generation(record)
            .filter(generation -> isForeign(partition.topic(), generation))
            .isPresent();
  }

  /** Empty if the record is no row: the removal of all asks by itself. */
  private Optional<ViewGeneration> generation(SinkRecord record) {
    try {
      Optional<UnexpectedRemoval> removal = ViewTopicControl.unexpected(record);
      return Optional.of(
          removal.map(UnexpectedRemoval::generation).orElseGet(() -> generations.of(record)));
    } catch (DataException e) {
      LOGGER.debug("No row of a generation: whoever applies the record says so", e);
      return Optional.empty();
    }
  }

  private boolean isForeign(String topic, ViewGeneration generation) {
    Answer known = answers.get(topic);
    if (known != null && !known.untilAsked.isExpired()) {
      return known.obstacle.isPresent();
    }
    Answer answer = ask(generation);
    answers.put(topic, answer);
    if (answer.obstacle.isPresent() && (known == null || !known.obstacle.equals(answer.obstacle))) {
      LOGGER.warn(
          "View {} generation {}: its rows are not written, and wait, since {}",
          generation.view(),
          generation.number(),
          answer.obstacle.get());
    }
    return answer.obstacle.isPresent();
  }

  private Answer ask(ViewGeneration generation) {
    Timer untilAsked = new Timer(time);
    Optional<String> obstacle;
    try {
      Optional<Described> described = described(generation);
      obstacle = described.flatMap(found -> found.obstacle(generation));
      untilAsked.reset(described.filter(Described::isBuilt).isPresent() ? OWN : UNDESCRIBED);
    } catch (DataException e) {
      // Nobody knows whose rows there are; other views go on.
      LOGGER.debug("Metadata that cannot be read", e);
      obstacle = Optional.of(e.getMessage());
    }
    if (obstacle.isPresent()) {
      untilAsked.reset(HELD);
    }
    return new Answer(generation, obstacle, untilAsked);
  }

  /** Empty if nothing can be there, or the generation does not say of which installation it is. */
  private Optional<Described> described(ViewGeneration generation) {
    if (generation.uid().isEmpty()) {
      return Optional.empty();
    }
    return store
        .location(generation)
        .map(
            location ->
                new Described(location.name(), location.read(), store.rowObstacle(generation)));
  }

  /**
   * What lies where the metadata of a generation's view belongs.
   *
   * @param rowObstacle why the rows are another view's that is described elsewhere
   */
  private record Described(
      String name, MetadataStore.MetadataLocation.Content content, Optional<String> rowObstacle) {
    /** Until then the sink may find that another view has the rows, and take the metadata back. */
    private boolean isBuilt() {
      return content
          .metadata()
          .filter(metadata -> metadata.state() != ViewState.State.BUILDING)
          .isPresent();
    }

    /** Why the rows there are another view's; empty if they are not known to be. */
    private Optional<String> obstacle(ViewGeneration generation) {
      if (rowObstacle.isPresent()) {
        return rowObstacle;
      }
      // Where both are described, rows of both are there.
      return content.metadata().isPresent()
          ? content
              .metadata()
              .filter(metadata -> metadata.isForeignTo(generation))
              .map(metadata -> ViewMetadata.foreign(name))
          : content.occupant().map(other -> ViewMetadata.occupied(name, other.view()));
    }
  }

  /**
   * What a target said last.
   *
   * @param obstacle why its rows are held off; empty: they are not
   */
  private record Answer(ViewGeneration generation, Optional<String> obstacle, Timer untilAsked) {}

  private Set<String> heldTopics() {
    return heldFrom.keySet().stream()
        .map(TopicPartition::topic)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
