package io.indexview.streams.work;

import io.indexview.streams.lifecycle.work.WorkResult;
import java.util.function.Consumer;

/**
 * One work in progress. For one thread, which it does not hold up: it does what can be done now and
 * is looked at again for the rest.
 */
@FunctionalInterface
public interface Job {

  /**
   * Goes on. What it throws is an outage or a bug; it is looked at again all the same.
   *
   * @param told gets what is found beside the answer, in the order in which it is to be told
   */
  Look look(Consumer<WorkResult> told);
}
