package io.indexview.client.read.target;

import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.views.layout.StoredRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keeps the rows of a page, the first of many that come in no order. For one thread.
 *
 * @param <P> where a row lies
 */
public final class SortedRows<P> {
  private final Comparator<P> order;
  private final P after;
  private final int maxRows;
  private final long maxBytes;
  private final int max;
  private final Supplier<TooManyRowsException> tooMany;
  private final PriorityQueue<Placed<P>> first;
  private long bytes;
  private boolean hasMore;
  private int seen;

  private record Placed<P>(StoredRow row, P place, long size) {}

  /**
   * @param after only rows that come later are kept; null: all
   * @param max how many may be looked at
   */
  public SortedRows(
      RowRequest request,
      Comparator<P> order,
      P after,
      int max,
      Supplier<TooManyRowsException> tooMany) {
    this.order = order;
    this.after = after;
    this.maxRows = request.rows();
    this.maxBytes = request.bytes();
    this.max = max;
    this.tooMany = tooMany;
    this.first =
        new PriorityQueue<>(Comparator.<Placed<P>, P>comparing(Placed::place, order).reversed());
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

  /**
   * @param size bytes that the row takes in its target
   */
  public void add(StoredRow row, P place, long size) {
    if (after != null && order.compare(place, after) <= 0) {
      return;
    }
    first.add(new Placed<>(row, place, size));
    bytes += size;
    // The last one goes while those before it fill the page.
    while (first.size() > maxRows || bytes - first.element().size() >= maxBytes) {
      bytes -= first.remove().size();
      hasMore = true;
    }
  }

  /**
   * The kept rows in order.
   *
   * @param name of a row in its target, see {@link FoundRows}
   */
  public FoundRows found(Function<P, Map<String, Object>> name) {
    List<Placed<P>> rows = new ArrayList<>(first);
    rows.sort(first.comparator().reversed());
    return new FoundRows(
        rows.stream().map(Placed::row).toList(), hasMore, i -> name.apply(rows.get(i).place()));
  }
}
