package io.indexview.client.read.target;

import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.ViewMetadata;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Several stores that serve views. A view lies in one of them, and in another one only after it was
 * dropped: the store that had it shows that first, for as long as its rows are there. So the store
 * that says READY is asked alone.
 */
public final class SeveralTargets implements ViewTarget {
  private final Map<String, ViewTarget> targets;

  /** Which target each view was READY in when it was last asked for. */
  private final Map<String, ViewTarget> homes = new ConcurrentHashMap<>();

  /**
   * @param targets by their type, {@code kv} or {@code dynamodb}
   */
  public SeveralTargets(Map<String, ViewTarget> targets) {
    this.targets = Map.copyOf(targets);
  }

  @Override
  public Optional<ViewMetadata> metadata(String view) {
    ViewTarget home = homes.get(view);
    Found known = home == null ? null : found(home, view);
    if (known != null && known.isReady()) {
      return Optional.of(known.metadata());
    }
    Optional<Found> newest =
        targets.values().stream()
            .map(target -> target.equals(home) ? known : found(target, view))
            .filter(Objects::nonNull)
            .reduce((one, other) -> one.version() >= other.version() ? one : other);
    newest
        .filter(Found::isReady)
        .ifPresentOrElse(ready -> homes.put(view, ready.target()), () -> homes.remove(view));
    return newest.map(Found::metadata);
  }

  /** Null: there is none. */
  private static Found found(ViewTarget target, String view) {
    return target.metadata(view).map(metadata -> new Found(target, metadata)).orElse(null);
  }

  private record Found(ViewTarget target, ViewMetadata metadata) {
    boolean isReady() {
      return metadata.state() == ViewState.State.READY;
    }

    long version() {
      return metadata.version();
    }
  }

  @Override
  public Optional<History> history(ViewGeneration generation) {
    return Optional.ofNullable(targets.get(generation.definition().target().type()))
        .flatMap(target -> target.history(generation));
  }

  @Override
  public Collection<String> views() {
    TreeSet<String> views = new TreeSet<>();
    targets.values().forEach(target -> views.addAll(target.views()));
    return views;
  }

  @Override
  public ViewRows rows(ViewGeneration generation) {
    String type = generation.definition().target().type();
    ViewTarget target = targets.get(type);
    if (target == null) {
      throw new LayoutException(
          "view \"%s\" is served by target %s, which this reader was not given"
              .formatted(generation.view(), type));
    }
    return target.rows(generation);
  }
}
