package io.indexview.connect.common.metadata;

import io.indexview.connect.common.metadata.MetadataStore.MetadataLocation;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the states of views to a target, such that older ones never win: not when the topic is
 * read again from any offset, and not from a task that lost its partitions without noticing. The
 * version of what is there decides; where nothing is there any more, the place's floor. What
 * another installation left, or still writes, is never replaced: the rows beside it are that
 * view's, too, and no version says which of them are wrong. For one thread.
 */
public final class MetadataWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(MetadataWriter.class);
  private static final int MAX_ATTEMPTS = 20;
  private static final Duration HELD_OFF = Duration.ofSeconds(15);

  private final MetadataStore store;
  private final String target;
  private final Time time;

  /** Where each view is known to be and nowhere else. */
  private final Map<String, String> locations = new HashMap<>();

  /** Uids of the views whose state was seen; for tombstones that do not say it. */
  private final Map<String, String> uids = new HashMap<>();

  private final Map<String, HeldOff> heldOff = new TreeMap<>();

  /**
   * @param target {@code kv} or {@code dynamodb}: views of others are passed over
   */
  public MetadataWriter(MetadataStore store, String target, Time time) {
    this.store = store;
    this.target = target;
    this.time = time;
  }

  /**
   * Applies one state. Any number of times; those of one view in the order of the topic.
   *
   * @throws RetriableException if another task writes the same metadata all the time
   * @throws DataException if a generation cannot be read
   */
  public void apply(ViewStateChange change) {
    if (change.state().isPresent()) {
      apply(change.state().get());
      return;
    }
    Optional<String> uid = change.uid().or(() -> Optional.ofNullable(uids.get(change.view())));
    for (MetadataLocation location : store.find(change.view())) {
      remove(
          location,
          metadata -> isGoing(metadata) && uid.map(metadata::isOf).orElse(true),
          ViewMetadata::version);
    }
    locations.remove(change.view());
    heldOff.remove(change.view());
  }

  /**
   * What to say of views whose newest state a target does not take: another installation has a view
   * of the name there, or left what holds it off. Each cause is said once, when no later state has
   * been taken for a while; while old states are read again, later ones follow at once.
   */
  public List<String> heldOff() {
    return heldOff.values().stream().flatMap(held -> held.line().stream()).toList();
  }

  /**
   * Forgets what is known of views: other tasks may have the topic of the states now, and put views
   * elsewhere.
   */
  public void forget() {
    heldOff.clear();
    locations.clear();
  }

  private void apply(ViewState state) {
    if (!state.target().equals(target)) {
      return;
    }
    ViewMetadata metadata = metadata(state);
    uids.put(metadata.view(), metadata.uid());
    store
        .location(metadata)
        .or(() -> lastPlace(metadata))
        .ifPresent(
            location -> {
              if (write(location, metadata)) {
                leaveOthers(location, metadata);
              }
            });
  }

  /** Where this view has been described so far; of several places, the last one. */
  private Optional<MetadataLocation> lastPlace(ViewMetadata metadata) {
    Map<MetadataLocation, ViewMetadata> described = described(metadata.view());
    return described.keySet().stream()
        .filter(location -> described.get(location).isOf(metadata.uid()))
        .max(Comparator.comparing(location -> described.get(location).version()));
  }

  private Map<MetadataLocation, ViewMetadata> described(String view) {
    Map<MetadataLocation, ViewMetadata> described = new LinkedHashMap<>();
    for (MetadataLocation location : store.find(view)) {
      location.read().metadata().ifPresent(stored -> described.put(location, stored));
    }
    return described;
  }

  /**
   * The place where another installation describes a view of this name, since readers may know that
   * place, too. Where this view is described already, that has to stay true: readers refuse both.
   */
  private Optional<String> foreignElsewhere(ViewMetadata metadata) {
    Map<MetadataLocation, ViewMetadata> described = described(metadata.view());
    return described.values().stream().anyMatch(stored -> stored.isOf(metadata.uid()))
        ? Optional.empty()
        : described.keySet().stream().map(MetadataLocation::name).findFirst();
  }

  /**
   * Why this view cannot have its rows where they belong. What cannot be read may be another
   * installation's, and holds off this view alone.
   */
  private static Optional<String> rowObstacle(
      ViewMetadata metadata, Function<ViewMetadata, Optional<String>> asked) {
    try {
      return asked.apply(metadata);
    } catch (DataException e) {
      LOGGER.debug("Whose rows there are cannot be read", e);
      return Optional.of(e.getMessage());
    }
  }

  /** New first, then old: at no time a reader finds none. */
  private void leaveOthers(MetadataLocation location, ViewMetadata metadata) {
    if (location.name().equals(locations.get(metadata.view()))) {
      return;
    }
    long version = metadata.version();
    for (MetadataLocation other : store.find(metadata.view())) {
      if (!other.name().equals(location.name())) {
        remove(
            other,
            older -> older.isOf(metadata.uid()) && older.version() < version,
            older -> version - 1);
      }
    }
    locations.put(metadata.view(), location.name());
  }

  private static ViewMetadata metadata(ViewState state) {
    try {
      return ViewMetadata.of(state);
    } catch (IllegalArgumentException e) {
      throw new DataException("state of view %s: %s".formatted(state.view(), e.getMessage()), e);
    }
  }

  /**
   * @return whether the target has this state now
   */
  private boolean write(MetadataLocation location, ViewMetadata metadata) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      MetadataLocation.Content content = location.read();
      if (content.metadata().filter(stored -> !stored.isOf(metadata.uid())).isPresent()) {
        hold(metadata, Cause.of(ViewMetadata.foreign(location.name())));
        return false;
      }
      Optional<ViewMetadata> other = content.occupant();
      if (other.isPresent()) {
        hold(metadata, Cause.of(ViewMetadata.occupied(location.name(), other.get().view())));
        return false;
      }
      long stored = content.metadata().map(ViewMetadata::version).orElse(0L);
      if (stored > metadata.version()) {
        hold(metadata, later(location.name(), stored));
        return false;
      }
      // After the read: who removes metadata raises the floor first.
      long floor = location.floor();
      if (metadata.version() <= floor) {
        hold(metadata, history(location.floorName(), floor));
        if (content.metadata().isEmpty() || content.remove()) {
          return false;
        }
      } else if (content.metadata().isEmpty()) {
        Optional<String> foreign =
            foreignElsewhere(metadata)
                .map(ViewMetadata::foreign)
                .or(() -> rowObstacle(metadata, store::rowObstacle));
        if (foreign.isPresent()) {
          hold(metadata, Cause.of(foreign.get()));
          return false;
        }
        store.prepare(metadata);
        // Nothing is there that a later removal could be noticed by, so the floor is looked at
        // once more with something in place.
        content.replace(announced(metadata));
      } else {
        // Now that others see it there. Who came meanwhile may have the rows.
        Optional<String> obstacle = rowObstacle(metadata, store::claimRows);
        obstacle.ifPresent(text -> hold(metadata, Cause.of(text)));
        if (obstacle.isPresent() && isBuilding(content)) {
          if (content.remove()) {
            return false;
          }
        } else {
          store.prepare(metadata);
          if (content.replace(obstacle.map(text -> among(metadata, text)).orElse(metadata))) {
            if (obstacle.isEmpty()) {
              heldOff.remove(metadata.view());
            }
            return true;
          }
        }
      }
    }
    throw contended();
  }

  /** Whether nobody reads by what is there. What is read by has to stay true. */
  private static boolean isBuilding(MetadataLocation.Content content) {
    return content
        .metadata()
        .filter(stored -> stored.state() == ViewState.State.BUILDING)
        .isPresent();
  }

  /** Returns metadata of the view without anything that may be wrong already. */
  private static ViewMetadata announced(ViewMetadata metadata) {
    return in(ViewState.State.BUILDING, "", ViewState.Freshness.UNKNOWN, metadata);
  }

  /** Returns what is true of a view that has been described, and whose rows another one has. */
  private static ViewMetadata among(ViewMetadata metadata, String obstacle) {
    return metadata.state() == ViewState.State.READY
        ? in(ViewState.State.DEGRADED, obstacle, metadata.freshness(), metadata)
        : metadata;
  }

  private static ViewMetadata in(
      ViewState.State state, String reason, ViewState.Freshness freshness, ViewMetadata metadata) {
    return new ViewMetadata(
        metadata.view(),
        metadata.uid(),
        metadata.version(),
        metadata.changedAtMs(),
        state,
        reason,
        metadata.recordSet(),
        metadata.sinkGroup(),
        metadata.generations(),
        freshness);
  }

  /**
   * Removes what is there and is over.
   *
   * @param floor up to which version states of the view are history then
   */
  private static void remove(
      MetadataLocation location,
      Predicate<ViewMetadata> isOver,
      ToLongFunction<ViewMetadata> floor) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      MetadataLocation.Content content = location.read();
      Optional<ViewMetadata> over = content.metadata().filter(isOver);
      if (over.isEmpty()) {
        return;
      }
      location.raiseFloor(floor.applyAsLong(over.get()));
      if (content.remove()) {
        return;
      }
    }
    throw contended();
  }

  /**
   * Whether a tombstone may speak of this. It has no version, and is an old one when the topic is
   * read again: nothing is dropped before it says that it is going.
   */
  private static boolean isGoing(ViewMetadata metadata) {
    return metadata.state() == ViewState.State.DELETING || metadata.generations().isEmpty();
  }

  private static Cause later(String name, long version) {
    return new Cause(
        "later: " + name,
        "%s holds version %d: the topics of the states are of an earlier moment than the target, and readers go by what is there until this version is passed"
            .formatted(name, version));
  }

  private static Cause history(String name, long version) {
    return new Cause(
        "history: " + name,
        "%s holds version %d, which an earlier installation left; if nobody else uses the target, remove that, or give the view another name"
            .formatted(name, version));
  }

  private void hold(ViewMetadata metadata, Cause cause) {
    HeldOff held = heldOff.get(metadata.view());
    if (held == null || !held.cause.kind.equals(cause.kind)) {
      held = new HeldOff(metadata.view(), time);
      heldOff.put(metadata.view(), held);
    }
    held.cause = cause;
    held.own = metadata.version();
  }

  /**
   * Why a target does not take a state.
   *
   * @param kind the same while the text differs by a version alone, which may rise all the time
   */
  private record Cause(String kind, String text) {
    static Cause of(String text) {
      return new Cause(text, text);
    }
  }

  /**
   * A view of which the target does not take what is the newest state so far, for one kind of
   * cause.
   */
  private static final class HeldOff {
    private final String view;
    private final Timer untilSaid;
    private Cause cause;
    private long own;
    private boolean isAskedFor;
    private boolean isSaid;

    HeldOff(String view, Time time) {
      this.view = view;
      this.untilSaid = new Timer(time);
    }

    Optional<String> line() {
      if (!isAskedFor) {
        isAskedFor = true;
        untilSaid.reset(HELD_OFF);
      }
      if (isSaid || !untilSaid.isExpired()) {
        return Optional.empty();
      }
      isSaid = true;
      return Optional.of(
          "View %s: the target does not take its state of version %d, since %s"
              .formatted(view, own, cause.text));
    }
  }

  private static RetriableException contended() {
    return new RetriableException("other tasks write the same metadata all the time");
  }
}
