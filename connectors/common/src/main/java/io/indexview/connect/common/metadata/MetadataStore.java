package io.indexview.connect.common.metadata;

import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.connect.errors.DataException;

/**
 * Port to where a target keeps the metadata of its views. Everything it writes is durable when the
 * call returns. Methods throw the store's own exceptions when it does not answer.
 */
public interface MetadataStore {
  /** Where metadata belongs; empty if it lists no generation whose rows are in this target. */
  Optional<MetadataLocation> location(ViewMetadata metadata);

  /**
   * Where metadata that goes by a generation belongs; empty if nothing can be there yet. For any
   * thread.
   */
  Optional<MetadataLocation> location(ViewGeneration generation);

  /** All places with metadata of a view, wherever they are. */
  List<MetadataLocation> find(String view);

  /**
   * Why rows of a generation cannot lie where they belong: those of another view do, as of another
   * installation, though its metadata lies elsewhere. Empty: none is known. For any thread.
   *
   * @throws DataException if nobody knows whose they are, since what says it cannot be read
   */
  default Optional<String> rowObstacle(ViewGeneration generation) {
    return Optional.empty();
  }

  /** As of a generation, for all that are listed. */
  default Optional<String> rowObstacle(ViewMetadata metadata) {
    return Optional.empty();
  }

  /**
   * Notes, where rows of the listed generations lie, that this metadata describes them. It must be
   * there, or others see nothing that holds them off. What another view has stays that one's as
   * long as its metadata is there. Of two that claim, the later one sees the metadata of the other.
   *
   * @return why some of these rows cannot lie there
   * @throws DataException if nobody knows whose they are, since what says it cannot be read
   */
  default Optional<String> claimRows(ViewMetadata metadata) {
    return Optional.empty();
  }

  /** Makes what readers of the listed generations need, before they see them. */
  void prepare(ViewMetadata metadata);

  /** A place in a target where the metadata of one view lies, or may lie. */
  interface MetadataLocation {
    /** A name that equal locations share. */
    String name();

    /** What is there, read with absolute consistency. */
    Content read();

    /**
     * States of the view up to this version are history: the place never takes them again. It
     * outlives the metadata, because what is gone holds nothing off. 0 in the beginning.
     */
    long floor();

    /** Where the floor is said, for people. */
    String floorName();

    /** Raises the floor to a version, unless it is as high already. */
    void raiseFloor(long version);

    /** What was read. Its writes fail once somebody else has written. */
    interface Content {
      Optional<ViewMetadata> metadata();

      /** Metadata of other views that lies here: under names that leave out the view's. */
      default List<ViewMetadata> ofOthers() {
        return List.of();
      }

      /** Another view in this place that still has rows; empty: there is none. */
      default Optional<ViewMetadata> occupant() {
        return ofOthers().stream().filter(other -> !other.generations().isEmpty()).findFirst();
      }

      /**
       * Atomically puts other metadata in place of this, and of what other views left here.
       *
       * @return false: somebody else has written, nothing was done
       */
      boolean replace(ViewMetadata next);

      /**
       * Removes this.
       *
       * @return false: somebody else has written, nothing was done
       */
      boolean remove();
    }
  }
}
