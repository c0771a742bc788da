package io.indexview.client.read.target;

import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.views.layout.StoredRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The rows of a page, as they are found in order. For one thread.
 *
 * @param <P> where a row lies
 */
public final class PageRows<P> {
  private static final int MAX_CAPACITY = 2_000;

  private final int maxRows;
  private final long maxBytes;
  private final List<StoredRow> rows;
  private final List<P> places;
  private long bytes;
  private boolean hasMore;

  /** Creates a page without rows. */
  public PageRows(RowRequest request) {
    this.maxRows = request.rows();
    this.maxBytes = request.bytes();
    int capacity = Math.min(maxRows, MAX_CAPACITY);
    this.rows = new ArrayList<>(capacity);
    this.places = new ArrayList<>(capacity);
  }

  /** How many rows are still to be found at most: those of the page and the one behind it. */
  public int missing() {
    if (hasMore) {
      return 0;
    }
    return isFull() ? 1 : maxRows + 1 - rows.size();
  }

  private boolean isFull() {
    return rows.size() == maxRows || bytes >= maxBytes;
  }

  /**
   * Adds a row, unless the page is full: then one more follows it.
   *
   * @param size bytes that it takes in its target
   */
  public void add(StoredRow row, P place, long size) {
    if (isFull()) {
      hasMore = true;
    } else {
      rows.add(row);
      places.add(place);
      bytes += size;
    }
  }

  /**
   * @param name of a row in its target, see {@link FoundRows}
   */
  public FoundRows found(BiFunction<P, StoredRow, Map<String, Object>> name) {
    return new FoundRows(rows, hasMore, i -> name.apply(places.get(i), rows.get(i)));
  }
}
