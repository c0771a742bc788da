package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;

/** Says whether the state is such that a generation may be built from it. */
@FunctionalInterface
public interface BuildGate {

  /**
   * What the build waits for, for people; empty: nothing. Asked several times a second, so it
   * returns at once.
   */
  String waitsFor(PublishedGeneration generation);
}
