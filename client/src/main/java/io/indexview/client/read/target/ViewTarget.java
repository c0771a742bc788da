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
   * @throws UnreadableMetadataException if it cannot be read, as that of a newer release, or is of
   *     two installations
   */
  Optional<ViewMetadata> metadata(String view);

  /**
   * Version up to which states of a generation's view are history: the target never takes them
   * again, and nothing of the view is there because of that. Empty: no state is.
   */
  default Optional<History> history(ViewGeneration generation) {
    return Optional.empty();
  }

  /**
   * @param place where it is said, for people
   */
  record History(long version, String place) {}

  /**
   * Why the metadata of a generation's view cannot lie where it belongs, as another view's does;
   * empty: none is there.
   */
  default Optional<String> occupied(ViewGeneration generation) {
    return Optional.empty();
  }

  /** Names of the views that it serves. */
  Collection<String> views();

  /**
   * The rows of a generation that lies in this target.
   *
   * @throws io.indexview.views.layout.LayoutException if it does not
   */
  ViewRows rows(ViewGeneration generation);

  /** Metadata of a view is there, and nobody can go by it. */
  final class UnreadableMetadataException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param place where it lies, for people
     */
    public UnreadableMetadataException(String place, IllegalArgumentException cause) {
      super(
          "its metadata at %s cannot be read: %s; if a newer release wrote it, upgrade the reader"
              .formatted(place, cause.getMessage()),
          cause);
    }

    private UnreadableMetadataException(String message) {
      super(message);
    }

    /**
     * Failure to read metadata that two installations have written: no version says which of the
     * two views is meant.
     */
    public static UnreadableMetadataException ofTwoInstallations(String place, String other) {
      return new UnreadableMetadataException(
          ViewMetadata.foreign("its metadata at %s or at %s".formatted(place, other)));
    }
  }
}
