package io.indexview.connect.common.metadata;

import io.indexview.views.layout.ViewMetadata;
import java.util.Optional;

/** A place in a target where the metadata of one view lies, or may lie. */
public interface MetadataLocation {
  /** The same for equal places. */
  String name();

  /** What is there, read with absolute consistency. */
  Content read();

  /**
   * States of the view up to this version are history: the place never takes them again. It
   * outlives the metadata, because what is gone holds nothing off. 0 in the beginning.
   */
  long floor();

  /** Raises the floor to a version, unless it is as high already. */
  void raiseFloor(long version);

  /** What was read. Its writes fail once somebody else has written. */
  interface Content {
    Optional<ViewMetadata> metadata();

    /**
     * Atomically puts other metadata in place of this.
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
