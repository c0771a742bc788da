package io.indexview.connect.dynamodb;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.dynamodb.write.RowWrite;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import java.util.function.Predicate;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of rows into their tables; those whose table cannot be used now are held, and go on in
 * the order in which they came. For one thread.
 */
final class RowGate {
  private static final Logger LOGGER = LoggerFactory.getLogger(RowGate.class);

  private final GenerationTables tables;
  private final HeldRows held;
  private final Predicate<ViewGeneration> isRetired;
  private final Ways ways;
  private ItemStoreException.Unavailable away;

  /** Where rows go. */
  interface Ways {
    void write(RowWrite write);

    void reject(SinkRecord row, RuntimeException cause);

    /** Drops a row that nobody needs any more. */
    void drop(SinkRecord row);
  }

  /**
   * @param isRetired whether the rows of a generation are to be removed
   */
  RowGate(GenerationTables tables, HeldRows held, Predicate<ViewGeneration> isRetired, Ways ways) {
    this.tables = tables;
    this.held = held;
    this.isRetired = isRetired;
    this.ways = ways;
  }

  /** A store that did not answer may be asked for tables again, once. */
  void beginTurn() {
    away = null;
  }

  void accept(SinkRecord row) {
    String topic = row.originalTopic();
    if (held.holds(topic)) {
      held.add(row);
    } else if (away != null && !tables.isOpen(topic)) {
      hold(row, away);
    } else {
      enter(row);
    }
  }

  private void enter(SinkRecord row) {
    RowWrite write;
    try {
      write = tables.of(row).write(row);
    } catch (DataException | LayoutException e) {
      ways.reject(row, e);
      return;
    } catch (ItemStoreException.Unavailable e) {
      away = e;
      hold(row, e);
      return;
    } catch (ItemStoreException.NoTable e) {
      hold(row, e);
      return;
    }
    ways.write(write);
  }

  private void hold(SinkRecord row, ItemStoreException cause) {
    held.hold(row.originalTopic(), cause);
    held.add(row);
  }

  /** Tries the tables that are due, up to the first that cannot be used: each may take long. */
  void releaseHeld() {
    for (String topic : held.due()) {
      if (away != null || !isReleased(topic)) {
        return;
      }
    }
  }

  private boolean isReleased(String topic) {
    SinkRecord first = held.first(topic);
    try {
      tables.of(first);
    } catch (DataException e) {
      LOGGER.debug("No table for topic {}: its rows are rejected one by one", topic, e);
    } catch (ItemStoreException.Unavailable | ItemStoreException.NoTable e) {
      if (isRetired(first)) {
        LOGGER.info("Dropping rows of topic {}, which are to be removed", topic);
        held.release(topic).forEach(ways::drop);
        return true;
      }
      held.hold(topic, e);
      return false;
    }
    held.release(topic).forEach(this::accept);
    return true;
  }

  private boolean isRetired(SinkRecord row) {
    try {
      return isRetired.test(GenerationCache.generation(row));
    } catch (ItemStoreException.Unavailable e) {
      LOGGER.debug("Not known whether rows of topic {} are to be removed", row.topic(), e);
      return false;
    }
  }
}
