package io.indexview.client.admin;

import io.indexview.client.poll.SharedPoll;
import io.indexview.schemas.control.ControlTable;
import java.util.Map;

/**
 * A control topic that several threads read. Each sees what was committed before its call; those
 * who wait while another reads share the next read.
 *
 * @param <T> what a record stands for
 */
final class Follower<T> implements AutoCloseable {
  private final ControlTable<T> table;
  private final SharedPoll<Map<String, T>> newest;

  /**
   * @param table closed with this
   */
  Follower(ControlTable<T> table) {
    this.table = table;
    this.newest = new SharedPoll<>(table::refresh);
  }

  /** The newest values by key, see {@link ControlTable#refresh}. */
  Map<String, T> read() {
    return newest.now();
  }

  @Override
  public void close() {
    newest.whileNobodyPolls(table::close);
  }
}
