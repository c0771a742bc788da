package io.indexview.client.read.target;

import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.Collection;
import java.util.Optional;

/** A store that serves views. Thread-safe. */
public interface ViewTarget {
  /**
   * What the target says of a view, with absolute consistency.
   *
   * @throws IllegalStateException if it cannot be read, as that of a newer release
   */
  Optional<ViewMetadata> metadata(String view);

  /** Names of the views that it serves. */
  Collection<String> views();

  /**
   * The rows of a generation that lies in this target.
   *
   * @throws io.indexview.views.layout.LayoutException if it does not
   */
  ViewRows rows(ViewGeneration generation);
}
