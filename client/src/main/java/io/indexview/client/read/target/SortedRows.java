package io.indexview.client.read.target;

import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/**
 * Keeps the first of many rows that come in no order. For one thread.
 *
 * @param <T> rows, or what names them
 */
public final class SortedRows<T> {
  private final Comparator<T> order;
  private final T after;
  private final int keep;
  private final int max;
  private final Supplier<TooManyRowsException> tooMany;
  private final PriorityQueue<T> first;
  private int seen;

  /**
   * @param after only rows that come later are kept; null: all
   * @param keep how many are kept
   * @param max how many may be looked at
   */
  public SortedRows(
      Comparator<T> order, T after, int keep, int max, Supplier<TooManyRowsException> tooMany) {
    this.order = order;
    this.after = after;
    this.keep = keep;
    this.max = max;
    this.tooMany = tooMany;
    this.first = new PriorityQueue<>(order.reversed());
  }

  /**
   * Counts a row that was looked at.
   *
   * @throws TooManyRowsException if it is one too many
   */
  public void count() {
    seen++;
    if (seen > max) {
      throw tooMany.get();
    }
  }

  public void add(T row) {
    if (after == null || order.compare(row, after) > 0) {
      first.add(row);
      if (first.size() > keep) {
        first.poll();
      }
    }
  }

  /** The kept rows in order. */
  public List<T> rows() {
    List<T> rows = new ArrayList<>(first);
    Collections.sort(rows, order);
    return rows;
  }
}
