package io.indexview.connect.common.metadata;

import io.indexview.connect.common.metadata.MetadataStore.MetadataLocation;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;

/**
 * Applies the states of views to a target, such that older ones never win: not when the topic is
 * read again from any offset, and not from a task that lost its partitions without noticing. The
 * version of what is there decides; where nothing is there any more, the place's floor. For one
 * thread.
 */
public final class MetadataWriter {
  private static final int MAX_ATTEMPTS = 20;
  private static final Duration HELD_OFF = Duration.ofSeconds(15);

  private final MetadataStore store;
  private final String target;
  private final Time time;

  /** Where each view is known to be and nowhere else. */
  private final Map<String, String> locations = new HashMap<>();

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
    for (MetadataLocation location : store.find(change.view())) {
      remove(location, MetadataWriter::isGoing, ViewMetadata::version);
    }
    locations.remove(change.view());
    heldOff.remove(change.view());
  }

  /**
   * What to say of views whose newest state a target does not take, since it has a newer one: an
   * earlier installation left it. Each is said once, when no later state has been taken for a
   * while; while old states are read again, later ones follow at once.
   */
  public List<String> heldOff() {
    return heldOff.values().stream().flatMap(held -> held.line().stream()).toList();
  }

  /** Other tasks may have the topic of the states now, and put views elsewhere. */
  public void forget() {
    heldOff.clear();
    locations.clear();
  }

  private void apply(ViewState state) {
    if (!state.target().equals(target)) {
      return;
    }
    ViewMetadata metadata = metadata(state);
    store
        .location(metadata)
        .or(() -> lastPlace(state.view()))
        .ifPresent(
            location -> {
              write(location, metadata);
              leaveOthers(location, metadata);
            });
  }

  /** Where the view has been described so far; of several places, the last one. */
  private Optional<MetadataLocation> lastPlace(String view) {
    List<MetadataLocation> found = store.find(view);
    if (found.size() < 2) {
      return found.stream().findFirst();
    }
    Map<MetadataLocation, Long> versions = new HashMap<>();
    found.forEach(location -> versions.put(location, version(location.read())));
    return found.stream().max(Comparator.comparing(versions::get));
  }

  /** New first, then old: at no time a reader finds none. */
  private void leaveOthers(MetadataLocation location, ViewMetadata metadata) {
    if (location.name().equals(locations.get(metadata.view()))) {
      return;
    }
    long version = metadata.version();
    for (MetadataLocation other : store.find(metadata.view())) {
      if (!other.name().equals(location.name())) {
        remove(other, older -> older.version() < version, older -> version - 1);
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

  private void write(MetadataLocation location, ViewMetadata metadata) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      MetadataLocation.Content content = location.read();
      long stored = version(content);
      if (stored > metadata.version()) {
        hold(metadata, location.name(), stored);
        return;
      }
      // After the read: who removes metadata raises the floor first.
      long floor = location.floor();
      if (metadata.version() <= floor) {
        hold(metadata, location.floorName(), floor);
        if (content.metadata().isEmpty() || content.remove()) {
          return;
        }
      } else if (content.metadata().isEmpty()) {
        store.prepare(metadata);
        // Nothing is there that a later removal could be noticed by, so the floor is looked at
        // once more with something in place.
        content.replace(announced(metadata));
      } else {
        store.prepare(metadata);
        if (content.replace(metadata)) {
          heldOff.remove(metadata.view());
          return;
        }
      }
    }
    throw contended();
  }

  /** The same view, with nothing said that could be wrong. */
  private static ViewMetadata announced(ViewMetadata metadata) {
    return new ViewMetadata(
        metadata.view(),
        metadata.version(),
        metadata.changedAtMs(),
        ViewState.State.BUILDING,
        "",
        metadata.recordSet(),
        metadata.sinkGroup(),
        metadata.generations(),
        ViewState.Freshness.UNKNOWN);
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
   * Whether a tombstone speaks of this. It has no version, and is an old one when the topic is read
   * again: nothing is dropped before it says that it is going.
   */
  private static boolean isGoing(ViewMetadata metadata) {
    return metadata.state() == ViewState.State.DELETING || metadata.generations().isEmpty();
  }

  private static long version(MetadataLocation.Content content) {
    return content.metadata().map(ViewMetadata::version).orElse(0L);
  }

  private void hold(ViewMetadata metadata, String place, long version) {
    HeldOff held = heldOff.computeIfAbsent(metadata.view(), view -> new HeldOff(view, time));
    held.place = place;
    held.version = version;
    held.own = metadata.version();
  }

  /** A view of which the target does not take what is the newest state so far. */
  private static final class HeldOff {
    private final String view;
    private final Timer untilSaid;
    private String place;
    private long version;
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
          "View %s: the target does not take its state of version %d, since %s holds version %d, which an earlier installation left: readers go by that and by its rows; if nobody else uses the target, remove both, or give the view another name or another place for its metadata"
              .formatted(view, own, place, version));
    }
  }

  private static RetriableException contended() {
    return new RetriableException("other tasks write the same metadata all the time");
  }
}
