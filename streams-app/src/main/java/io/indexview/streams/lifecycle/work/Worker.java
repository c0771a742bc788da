package io.indexview.streams.lifecycle.work;

import java.util.Set;

/** Does the owner's work off the stream thread. */
public interface Worker {

  /**
   * Tells everything that is wanted now, instead of what was wanted before. Work of a new {@link
   * Work#id} is to be begun; work of a known id goes on, with the content given here; work that is
   * not in it any more is given up, and it is no error if a result of it still comes.
   *
   * <p>Work goes on until it is done, refused or given up; a failure is logged and tried again. A
   * result is told as a record of {@code view-progress}, see {@link WorkResultCodec}: all results
   * by one producer to one partition, in the order in which they were found. It may be told again.
   *
   * <p>Called on a stream thread, before what was wanted is committed; returns at once and does not
   * throw. Empty when the owner moves away.
   */
  void want(Set<Work> all);
}
