package io.indexview.streams.controller;

import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlledView;
import io.indexview.streams.controller.rules.RecordSetLoss;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The control topics as one holder of the lease reads and writes them. Methods throw {@link
 * org.apache.kafka.common.KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer; then this is to
 * be closed, and another one goes on from what is committed.
 */
interface ControlTopics extends AutoCloseable {

  /** Shuts out whoever held the lease before, then reads what was committed. */
  Memory open();

  /**
   * What the controller remembers.
   *
   * @param definitions the newest of each view that was read before; nobody may have been able to
   *     read one then
   */
  record Memory(
      Collection<ControlledView> views,
      Map<String, RecordSetLoss> losses,
      List<ControlEvent> definitions) {}

  /** Reads on; waits for something to read, no longer than the pause. */
  List<ControlEvent> read(Duration pause);

  /** Grows with all that is read, even if it is no event. */
  long position();

  /**
   * Everything that was written before the call, whether it is committed yet or not. What tasks
   * reported before something was found lies before an end that is taken after it.
   */
  End end();

  /** How far the topics go. */
  interface End {}

  /** Whether everything before an end is read, or was aborted. */
  boolean hasRead(End end);

  /**
   * Commits in one transaction, with how far the definitions are read.
   *
   * @throws org.apache.kafka.common.errors.ProducerFencedException if somebody else holds the lease
   *     now
   */
  void commit(Reconciler.Changes changes);

  @Override
  void close();
}
