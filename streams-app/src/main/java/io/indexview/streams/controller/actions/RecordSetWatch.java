package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.TopicDescriptions;
import io.indexview.streams.generation.TopicFit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Watches whether events of a record set are lost before the application reads them, or a source
 * says that what it published may be wrong, and whether sources made up for it by publishing
 * everything again; and whether something stands between a source and a right record set. Nobody
 * asks for it: it begins before the application derives and goes on as long as it runs.
 */
public final class RecordSetWatch implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(3);

  /** A number that is no end of a name, as {@code bucket-1} has one. */
  private static final Pattern COUNT = Pattern.compile("(?<![A-Za-z0-9_])(?<![A-Za-z_]-)\\d+");

  private final ActionContext context;
  private final RecordSetConfig recordSet;
  private final List<String> topics;
  private final AvroSerializer<GenericRecord> serializer;
  private boolean lost;

  /** The change topic that there was; empty: it was gone at first; null: nothing is known yet. */
  private String knownTopicId;

  private long neededSinceMs = Long.MIN_VALUE;
  private long askedForMs = Long.MIN_VALUE;
  private long wholeAtMs = Long.MIN_VALUE;

  /**
   * Source and kind of the hindrance that was reported last; empty: none; null: nothing was
   * reported.
   */
  private String reportedOf;

  /**
   * @param topics that the watches of all record sets ask for
   */
  private RecordSetWatch(
      ActionContext context,
      RecordSetConfig recordSet,
      List<String> topics,
      SchemaRegistry registry) {
    this.context = context;
    this.recordSet = recordSet;
    this.topics = topics;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  /** One for each record set: one whose topic cannot be read must not hold up the others. */
  public static List<RecordSetWatch> all(ActionContext context, SchemaRegistry registry) {
    List<String> topics =
        context.config().recordSets().stream()
            .flatMap(recordSet -> TopicFit.topics(context.config(), recordSet).stream())
            .toList();
    return context.config().recordSets().stream()
        .map(recordSet -> new RecordSetWatch(context, recordSet, topics, registry))
        .toList();
  }

  /**
   * Tells what was lost while the application did not run. To be called before it derives: a
   * consumer whose next record is gone goes on behind the gap.
   *
   * @throws RetriableException if a record set could not be asked; those of the others are reported
   */
  public static void tellLostAtStart(
      ActionContext context, SchemaRegistry registry, Consumer<EventsLost> lost) {
    List<RetriableException> failures = new ArrayList<>();
    for (RecordSetWatch watch : all(context, registry)) {
      try {
        if (watch.misfit(context.cluster()).isEmpty()) {
          watch.lostAtStart().ifPresent(lost);
        }
      } catch (RetriableException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      RetriableException first = failures.remove(0);
      failures.forEach(first::addSuppressed);
      throw first;
    }
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    context.observed().expect(topics);
    Optional<TopicFit.Misfit> misfit = misfit(context.observed());
    if (misfit.isPresent()) {
      tellHindrance("|" + misfit.get().reason(), misfit.get().reason(), found);
      noteGone(misfit.get());
      return new Again(PAUSE, "");
    }
    TopicSources sources = context.observed().sources(recordSet.topic());
    String topicId = context.observed().ids().get(recordSet.topic());
    tellLostTopic(topicId, found);
    Optional<CompleteScan> adHoc = sources.lastPublishedAgain(Optional.ofNullable(topicId));
    Map<TopicPartition, Long> committed =
        context.log().committedInRound(context.config().applicationId());
    Map<TopicPartition, Long> starts = context.log().starts(recordSet.topic());
    Set<Integer> behind = behind(adHoc, starts, committed, false);
    // The application may have got past what was trimmed since the round began, or the sources may
    // have published everything again.
    if (behind.isEmpty()) {
      lost = false;
    } else {
      Optional<CompleteScan> newest = adHoc(context.sources(recordSet.topic()));
      checkLost(behind(newest, starts, committed(), false), newest, found);
    }
    checkNeeded(sources, found);
    checkHindered(sources, found);
    sources
        .publishedAgain(Optional.ofNullable(topicId), 0)
        .complete()
        .ifPresent(scan -> checkWhole(scan, found));
    return new Again(PAUSE, "");
  }

  /**
   * Notes that a topic is gone that was never seen: a topic that is created in its place then
   * counts as another one.
   */
  private void noteGone(TopicFit.Misfit misfit) {
    if (knownTopicId == null
        && misfit.goneTopic().isPresent()
        && context.cluster().isGone(recordSet.topic())) {
      knownTopicId = "";
    }
  }

  /**
   * Reports a topic that was created anew and that no source speaks for. Tasks report it as well,
   * but only when they run again.
   */
  private void tellLostTopic(String topicId, Consumer<Finding> found) {
    if (topicId == null) {
      return;
    }
    boolean isAnother = knownTopicId != null && !knownTopicId.equals(topicId);
    if (isAnother && !recordSet.completeness().hasSource()) {
      found.accept(
          new Finding.Lost(
              EventsLost.ofTopic(
                  recordSet.name(), context.time().millis(), recordSet.topic(), topicId)));
    }
    knownTopicId = topicId;
  }

  /** Why the application does not read the topic at all; empty: it does. */
  private Optional<TopicFit.Misfit> misfit(TopicDescriptions topics) {
    return new TopicFit(context.config(), topics).misfit(recordSet);
  }

  private Optional<EventsLost> lostAtStart() {
    Map<TopicPartition, Long> committed = committed();
    String memory = context.config().memoryTopic(recordSet);
    if (hasForgotten(memory, committed)) {
      return Optional.of(
          EventsLost.ofState(
              recordSet.name(),
              context.time().millis(),
              memory,
              context.cluster().topicId(memory).orElse("")));
    }
    Optional<CompleteScan> adHoc = adHoc(context.sources(recordSet.topic()));
    Set<Integer> behind = behind(adHoc, context.log().starts(recordSet.topic()), committed, true);
    return behind.isEmpty() || isAllThere(committed)
        ? Optional.empty()
        : Optional.of(new EventsLost(recordSet.name(), foundAtMs(adHoc), reason(behind)));
  }

  /**
   * Whether the application's memory is gone although it once wrote it. Every commit of an offset
   * and every report writes to the memory in the same transaction. The offsets alone say too
   * little: they expire, or are lost as well.
   */
  private boolean hasForgotten(String memory, Map<TopicPartition, Long> committed) {
    boolean isUnknown = context.cluster().partitions(memory).isEmpty();
    if (isUnknown && !context.cluster().isGone(memory)) {
      throw new UnknownTopicOrPartitionException(
          "a broker has not heard of topic %s yet".formatted(memory));
    }
    // First, since other instances may write their first ones now.
    Set<String> reports = context.tables().progress().get().keySet();
    Map<TopicPartition, Long> ends = isUnknown ? Map.of() : context.log().ends(memory);
    return IntStream.range(0, context.cluster().partitions(recordSet.topic()).orElse(0))
        .filter(partition -> ends.getOrDefault(new TopicPartition(memory, partition), 0L) == 0)
        .anyMatch(
            partition ->
                committed.getOrDefault(new TopicPartition(recordSet.topic(), partition), 0L) > 0
                    || reports.stream()
                        .anyMatch(key -> TaskProgress.isKeyOf(key, recordSet.name(), partition)));
  }

  private Map<TopicPartition, Long> committed() {
    return context.log().committed(context.config().applicationId());
  }

  /**
   * The partitions that begin after what is to be read next, unless everything was published again
   * behind the gap: nobody commits anything past it where no event follows.
   *
   * @param adHoc when the sources last did
   * @param starting whether a partition without committed offset is read from its beginning
   */
  private Set<Integer> behind(
      Optional<CompleteScan> adHoc,
      Map<TopicPartition, Long> starts,
      Map<TopicPartition, Long> committed,
      boolean starting) {
    Map<TopicPartition, Long> again = adHoc.map(CompleteScan::begins).orElse(Map.of());
    Set<Integer> behind = new TreeSet<>();
    starts.forEach(
        (partition, start) -> {
          Long next = starting ? committed.getOrDefault(partition, 0L) : committed.get(partition);
          if (next != null && next < start && again.getOrDefault(partition, 0L) < start) {
            behind.add(partition.partition());
          }
        });
    return behind;
  }

  /** Whether a new application finds everything: nobody says more of the topic than it holds. */
  private boolean isAllThere(Map<TopicPartition, Long> committed) {
    return !recordSet.completeness().hasSource()
        && committed.keySet().stream().noneMatch(p -> p.topic().equals(recordSet.topic()))
        && context.cluster().partitions(context.config().changelogTopic(recordSet)).isEmpty();
  }

  private Optional<CompleteScan> adHoc(TopicSources sources) {
    return sources.lastPublishedAgain(context.cluster().topicId(recordSet.topic()));
  }

  private void checkLost(
      Set<Integer> partitions, Optional<CompleteScan> adHoc, Consumer<Finding> found) {
    if (!partitions.isEmpty() && !lost) {
      found.accept(
          new Finding.RecordSetBroken(recordSet.name(), foundAtMs(adHoc), reason(partitions)));
    }
    lost = !partitions.isEmpty();
  }

  /**
   * The offsets say that it is after the scan, also where the clock of a source is ahead, or this
   * one was set back.
   */
  private long foundAtMs(Optional<CompleteScan> adHoc) {
    long now = context.time().millis();
    return adHoc.map(scan -> Math.max(now, scan.startedAtMs() + 1)).orElse(now);
  }

  private void checkNeeded(TopicSources sources, Consumer<Finding> found) {
    sources
        .lastSnapshotNeeded()
        .ifPresent(
            need -> {
              if (need.sinceMs() != neededSinceMs) {
                neededSinceMs = need.sinceMs();
                found.accept(
                    new Finding.RecordSetBroken(recordSet.name(), need.sinceMs(), need.reason()));
              }
              askOthers(sources, need.sinceMs());
            });
  }

  /**
   * A source that needs a snapshot makes it by itself, the others of its topic do not. But what one
   * has not published is gone only if no other one has it, so all have to publish everything.
   */
  private void askOthers(TopicSources sources, long sinceMs) {
    boolean allPublish =
        sources.bySource().values().stream()
            .flatMap(List::stream)
            .allMatch(
                state ->
                    state.snapshotNeeded().isPresent()
                        || state
                            .lastAdHocSnapshot()
                            .filter(f -> f.startedAtMs() >= sinceMs)
                            .isPresent());
    if (allPublish || askedForMs >= sinceMs) {
      return;
    }
    SourceRequest standing = context.tables().requests().get().get(recordSet.topic());
    if (standing == null || standing.requestedAtMs() < sinceMs) {
      long after = standing == null ? 0 : standing.number() + 1;
      long now = context.time().millis();
      // The source's clock may be ahead.
      SnapshotRequester.request(
          new SourceRequest(recordSet.topic(), Math.max(now, after), Math.max(now, sinceMs)),
          context,
          serializer);
    }
    askedForMs = sinceMs;
  }

  private void checkHindered(TopicSources sources, Consumer<Finding> found) {
    Optional<SourceState> hindered =
        sources.bySource().values().stream()
            .flatMap(List::stream)
            .filter(state -> hindrance(state).isPresent())
            .min(
                Comparator.comparing(SourceState::source)
                    .thenComparing(SourceState::sourcePartition));
    String reason = hindered.flatMap(this::hindrance).orElse("");
    // A problem that comes with a count is another text each time.
    boolean mayCount = hindered.flatMap(SourceState::problem).isPresent();
    tellHindrance(
        hindered.map(SourceState::key).orElse("")
            + "|"
            + (mayCount ? COUNT.matcher(reason).replaceAll("N") : reason),
        reason,
        found);
  }

  private void tellHindrance(String of, String reason, Consumer<Finding> found) {
    if (!of.equals(reportedOf)) {
      reportedOf = of;
      found.accept(new Finding.RecordSetHindered(recordSet.name(), reason));
    }
  }

  /** What of a source may make records wrong for as long as it stands. */
  private Optional<String> hindrance(SourceState state) {
    Duration own = context.config().tombstoneRetention();
    return state
        .problem()
        .map(problem -> "source %s cannot be complete: %s".formatted(state.source(), problem))
        .or(
            () ->
                state
                    .tombstoneRetention()
                    .filter(retention -> !retention.equals(own))
                    .map(
                        retention ->
                            "tombstone.retention.ms is %d in source %s and %d in the application, so that they may judge late events differently; give both the same value, and if events may have come later than the shorter one, rebuild with an ad-hoc snapshot"
                                .formatted(retention.toMillis(), state.source(), own.toMillis())));
  }

  private String reason(Set<Integer> partitions) {
    return "partitions %s of topic %s were trimmed past what the application had read, so events are lost; keep the topic longer"
        .formatted(partitions, recordSet.topic());
  }

  private void checkWhole(CompleteScan scan, Consumer<Finding> found) {
    long startedAt = scan.startedAtMs();
    if (wholeAtMs < startedAt && SnapshotRequester.waitsFor(scan, recordSet, context).isEmpty()) {
      wholeAtMs = startedAt;
      found.accept(new Finding.RecordSetWhole(recordSet.name(), startedAt));
    }
  }
}
