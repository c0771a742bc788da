package io.indexview.local;

import java.util.Set;

/** One part of the stack. Started once and stopped once, each by one thread. */
interface Part {

  PartName name();

  /** The parts that run before this one starts. */
  Set<PartName> needs();

  /** The parts that run until this one has stopped. */
  default Set<PartName> uses() {
    return needs();
  }

  /** Returns when the part serves. */
  void start() throws Exception;

  /** Where a started part is reached: a URL, {@code host:port} or a directory. */
  String address();

  /** Stops within a few seconds; also called after a failed start. */
  void stop() throws Exception;
}
