package io.indexview.client.admin;

import io.indexview.client.admin.Lags.KafkaPositions;
import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.admin.ViewChange.Effect;
import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ControlTable.Contents;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.SpecLog.Wanted;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, changes, watches and drops views. Safe for use by several threads; all methods throw as
 * those of the catalog.
 */
public final class ViewAdmin implements ViewCatalog, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ViewAdmin.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private final Topics topics;
  private final ControlTopicTables control;
  private final SpecLog specs;
  private final Lags.Positions positions;
  private final Statuses statuses;
  private final Changes changes;
  private final CountDownLatch closed = new CountDownLatch(1);

  ViewAdmin(
      Topics topics,
      ControlTopicTables control,
      SpecLog specs,
      Lags.Positions positions,
      TargetStates targets,
      Clock clock) {
    this.topics = topics;
    this.control = control;
    this.specs = specs;
    this.positions = positions;
    this.statuses =
        new Statuses(control, new Lags(control, positions, clock), positions::hasMembers, targets);
    this.changes = new Changes(topics, control);
  }

  /**
   * Opens the administration on a cluster, without a read of targets: {@link TargetStates#NONE}.
   */
  public static ViewAdmin connect(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry, Clock clock) {
    return connect(kafka, topics, registry, TargetStates.NONE, clock);
  }

  /**
   * Opens the administration on a cluster.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   * @param targets see {@link io.indexview.client.read.IndexViewReaders#states}
   */
  public static ViewAdmin connect(
      Map<String, Object> kafka,
      Topics topics,
      SchemaRegistry registry,
      TargetStates targets,
      Clock clock) {
    Map<String, Object> bounded = AnswerTimeouts.in(kafka);
    return new ViewAdmin(
        topics,
        new ControlTopicTables(topics, () -> ControlTable.consumer(bounded), registry),
        SpecLog.connect(bounded, topics, registry, clock),
        new KafkaPositions(kafka),
        targets,
        clock);
  }

  /**
   * Refuses definitions that put rows or metadata among primary records, which a source would take
   * for records then.
   *
   * @param component first component of the record set's keys in the KV store
   */
  public void reserveKeys(String recordSet, String component) {
    changes.reserveKeys(recordSet, component);
  }

  @Override
  public List<ViewStatus> list() {
    return statuses.list();
  }

  @Override
  public ViewStatus get(String view) {
    return statuses.get(view);
  }

  @Override
  public List<RecordSetInfo> recordSets() {
    return control.recordSets().values().stream()
        .sorted((left, right) -> left.name().compareTo(right.name()))
        .toList();
  }

  /**
   * The generation that serves, whose rows can be verified.
   *
   * @throws ViewNotFoundException if there is no such view
   * @throws NotVerifiableException if none serves
   */
  public ServedGeneration serving(String view) {
    ViewState state = control.states().newest().get(view);
    if (state == null) {
      throw unserved(view);
    }
    ViewGeneration frozen =
        ViewMetadata.of(state)
            .serving()
            .orElseThrow(
                () ->
                    new NotVerifiableException(
                        "view \"%s\" is %s: no generation serves".formatted(view, state.state())));
    PublishedGeneration published =
        control.generations().newest().get(PublishedGeneration.key(view, frozen.number()));
    if (published == null) {
      throw new NotVerifiableException(
          "generation %d of view \"%s\" is being removed".formatted(frozen.number(), view));
    }
    return new ServedGeneration(published, frozen, state);
  }

  /** The app says nothing of it. */
  private RuntimeException unserved(String view) {
    try {
      present(view, control.specs());
      return new NotVerifiableException(
          "view \"%s\" is %s: no generation serves".formatted(view, State.BUILDING));
    } catch (UnreadableSpec e) {
      return new NotVerifiableException(e.getMessage(), e);
    }
  }

  /**
   * All views with their generations, before any of whose rows are written.
   *
   * @throws NotVerifiableException if not all can be read here
   */
  public KnownViews known() {
    Contents<ViewState> states = control.states();
    Contents<PublishedGeneration> published = control.generations();
    Contents<ViewSpec> wanted = control.specs();
    Set<String> names = new HashSet<>(wanted.newest().keySet());
    names.addAll(states.newest().keySet());
    Map<String, String> uids = new HashMap<>();
    List<ViewGeneration> generations = new ArrayList<>();
    try {
      for (ViewState state : states.newest().values()) {
        uids.put(state.view(), state.uid());
        ViewMetadata.of(state).generations().forEach(each -> generations.add(each.generation()));
      }
      for (PublishedGeneration generation : published.newest().values()) {
        names.add(generation.view());
        generations.add(control.frozen(generation));
      }
    } catch (IllegalArgumentException | RegistryException.NotFound e) {
      throw new NotVerifiableException("a view cannot be read here: " + e.getMessage(), e);
    }
    List<String> unreadable =
        Stream.of(wanted, states, published)
            .flatMap(contents -> contents.unreadable().keySet().stream())
            .sorted()
            .toList();
    if (!unreadable.isEmpty()) {
      throw new NotVerifiableException(
          "views cannot be read here, perhaps as the app is of a newer release: %s"
              .formatted(String.join(", ", unreadable)));
    }
    return new KnownViews(topics.prefix(), names, uids, generations);
  }

  @Override
  public ViewChange diff(String origin, String text) {
    return changes.of(origin, text, control.specs());
  }

  @Override
  public ViewChange apply(String origin, String text, OptionalLong expected) {
    String view = diff(origin, text).view();
    ViewChange[] change = new ViewChange[1];
    ViewSpec spec =
        specs.put(
            view,
            expected,
            standing -> {
              change[0] = changes.of(origin, text, standing);
              return new Wanted(
                  change[0].definition(),
                  change[0].build(),
                  change[0].verificationInterval(),
                  change[0].effect() == Effect.RETRY);
            });
    return change[0].made(spec);
  }

  @Override
  public void drop(String view, OptionalLong expected) {
    Contents<ViewSpec> known = control.specs();
    boolean isKnown =
        known.newest().containsKey(view) || ControlTopicTables.unreadable(known).containsKey(view);
    if (!isKnown || !specs.drop(view, expected)) {
      throw new ViewNotFoundException(view, known.newest().keySet());
    }
  }

  @Override
  public ViewSpec rebuild(String view, BuildMode mode, OptionalLong expected) {
    requireDefined(view);
    return specs.put(
        view,
        expected,
        standing -> {
          ViewSpec present = present(view, standing);
          return new Wanted(
              present.definition(),
              new BuildRequest(changes.unusedBuild(present), mode),
              present.verificationInterval());
        });
  }

  @Override
  public ViewSpec rollback(String view, OptionalLong expected) {
    requireDefined(view);
    return specs.put(
        view,
        expected,
        standing -> {
          ViewSpec present = present(view, standing);
          PublishedGeneration target = changes.rollbackTarget(present);
          return new Wanted(target.definition(), target.build(), present.verificationInterval());
        });
  }

  /**
   * Changes are made one after the other: of a cluster that is gone, all who want one learn here
   * together.
   */
  private void requireDefined(String view) {
    present(view, control.specs());
  }

  private static ViewSpec present(String view, Contents<ViewSpec> standing) {
    ViewSpec present = standing.newest().get(view);
    if (present != null) {
      return present;
    }
    String unreadable = ControlTopicTables.unreadable(standing).get(view);
    throw unreadable == null
        ? new ViewNotFoundException(view, standing.newest().keySet())
        : new UnreadableSpec(view, unreadable);
  }

  /**
   * Waits until a view serves what is wanted of it, and its readers see it ({@link
   * ViewStatus#readable}). While the cluster or the registry does not answer, it is asked again.
   *
   * @param version of the spec that is waited for, as a change returned it; empty: whatever is
   *     wanted, also if that changes meanwhile
   * @param progress called with the status every now and then, without its lag
   * @throws ViewNotFoundException if there is none, or it is dropped meanwhile
   * @throws SupersededException if something else is wanted of it than that version
   * @throws NotReadyException if the time is over
   * @throws org.apache.kafka.common.KafkaException if the cluster refuses, or does not answer when
   *     the time is over
   */
  public ViewStatus awaitReady(
      String view, OptionalLong version, Duration timeout, Consumer<ViewStatus> progress) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      RuntimeException failure;
      try {
        ViewStatus status = statuses.glance(view);
        progress.accept(status);
        if (serves(status, version)) {
          return status;
        }
        failure = new NotReadyException(status, timeout);
      } catch (RetriableException | RegistryException.Unavailable e) {
        LOGGER.debug("A view that is waited for cannot be read now: view={}", view, e);
        failure = e;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw failure;
      }
      pause(Math.min(left, POLL_INTERVAL.toNanos()));
    }
  }

  private boolean serves(ViewStatus status, OptionalLong version) {
    if (status.spec().isEmpty()) {
      if (status.isUnreadable()) {
        return false;
      }
      throw new ViewNotFoundException(status.view(), control.specs().newest().keySet());
    }
    long wanted = status.spec().get().version();
    if (wanted > version.orElse(wanted)) {
      throw new SupersededException(status.view(), version.getAsLong(), wanted);
    }
    return status.readable() && wanted == version.orElse(wanted);
  }

  private void pause(long nanos) {
    try {
      if (closed.await(nanos, TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException("closed while a view was waited for");
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    specs.close();
    positions.close();
    control.close();
  }

  /** A view did not become READY, or not for its readers, in time. */
  public static final class NotReadyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ViewStatus status;

    public NotReadyException(ViewStatus status, Duration waited) {
      super(
          "View \"%s\" is %s and %s after %d s%s"
              .formatted(
                  status.view(),
                  status.phase(),
                  status.ready() ? "is not shown to readers" : "does not serve what is wanted",
                  waited.toSeconds(),
                  reason(status).isEmpty() ? "" : ": " + reason(status)));
      this.status = status;
    }

    private static String reason(ViewStatus status) {
      return status.ready()
          ? status.visibility().map(Visibility::reason).orElse("")
          : status.reason();
    }

    /** The view's last status. */
    public ViewStatus status() {
      return status;
    }
  }

  /** What was waited for is not wanted any more: the view was changed again. */
  public static final class SupersededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SupersededException(String view, long awaited, long wanted) {
      super(
          "View \"%s\" was changed again: version %d was waited for, version %d is wanted now"
              .formatted(view, awaited, wanted));
    }
  }

  /** A view has no generation that it could be rolled back to. */
  public static final class NoStandbyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NoStandbyException(String view) {
      super(
          ("View \"%s\" has no generation to roll back to: the one before a switch is removed after"
                  + " generation.grace.ms of the app, and is not kept with swap: in-place. To bring it"
                  + " back, apply the definition that it had (views apply -f FILE), or rebuild the"
                  + " view if that is the present one (views rebuild %s); it is built anew while the"
                  + " present generation serves")
              .formatted(view, view));
    }
  }

  /**
   * The generation of a view that serves.
   *
   * @param published as tasks write it
   * @param frozen the same, read
   * @param state of the view
   */
  public record ServedGeneration(
      PublishedGeneration published, ViewGeneration frozen, ViewState state) {}
}
