package io.indexview.client.read.target;

import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.ViewMetadata;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Several stores that serve views. While a view moves between them, the newer metadata holds. */
public final class SeveralTargets implements ViewTarget {
  private final Map<String, ViewTarget> targets;

  /**
   * @param targets by their type, {@code kv} or {@code dynamodb}
   */
  public SeveralTargets(Map<String, ViewTarget> targets) {
    this.targets = Map.copyOf(targets);
  }

  @Override
  public Optional<ViewMetadata> metadata(String view) {
    return targets.values().stream()
        .flatMap(target -> target.metadata(view).stream())
        .reduce((one, other) -> one.version() >= other.version() ? one : other);
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
