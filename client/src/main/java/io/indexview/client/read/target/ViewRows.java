package io.indexview.client.read.target;

import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The rows of one generation in its target. Thread-safe. */
public interface ViewRows {
  /**
   * The fields that rows can be asked for by, in the order of the key.
   *
   * @param index null: by the view's own key
   * @throws IllegalArgumentException if there is no such index; says which there are
   */
  List<KeyField> fields(String index);

  /**
   * The first rows that are asked for, tombstones left out.
   *
   * @throws InvalidQueryException if the target cannot answer it
   * @throws MissingRowsException if there is nothing that could hold rows of the generation
   * @throws UnexpectedRowException if it comes by what is no row
   * @throws TooManyRowsException if it can only be answered by sorting too many rows
   */
  FoundRows read(RowRequest request);

  /**
   * Rows in order.
   *
   * @param rows as many as the request takes, if there are so many
   * @param hasMore whether more follow
   * @param places names the row of an index in its target, in texts and numbers
   */
  record FoundRows(List<StoredRow> rows, boolean hasMore, IntFunction<Map<String, Object>> places) {
    public static final FoundRows NONE = new FoundRows(List.of(), false, index -> Map.of());

    /** Names the last of the first so many rows in its target; null: no more follow. */
    public Map<String, Object> next(int count) {
      return hasMore || count < rows.size() ? places.apply(count - 1) : null;
    }
  }

  /**
   * What to read.
   *
   * @param index null: the view's own key
   * @param after {@link FoundRows#next} of the rows that come before, whether or not it is still
   *     there; null: from the start
   * @param rows at most, 1 or more
   * @param bytes of rows as the target holds them, 1 or more: the row that reaches them is the last
   * @param absolute whether everything that was applied to the target must be seen; an index of
   *     DynamoDB is read as it is
   */
  record RowRequest(
      KeyQuery query,
      String index,
      Map<String, Object> after,
      int rows,
      long bytes,
      boolean absolute) {}

  /** A query that does not fit its view; says everything that is wrong with it. */
  final class InvalidQueryException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final List<String> problems;

    /**
     * @param problems each names its field and what helps
     */
    public InvalidQueryException(String view, List<String> problems) {
      super("query of view \"%s\": %s".formatted(view, String.join("; ", problems)));
      this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
      return problems;
    }
  }

  /** A query whose rows lie in too many places to be sorted by the reader. */
  final class TooManyRowsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param shardKey names of its fields
     */
    public TooManyRowsException(String view, int sortLimit, List<String> shardKey) {
      super(
          ("View \"%s\": the query does not give all fields of the view's shardKey (%s), so that its"
                  + " rows lie in many places, and these are more than the %,d that a reader sorts"
                  + " (sort.limit); give all of these fields, or define the view with a shorter"
                  + " shardKey")
              .formatted(view, String.join(", ", shardKey), sortLimit));
    }
  }

  /**
   * What held the rows of a generation is not there: it went with the generation, or somebody
   * removed it.
   */
  final class MissingRowsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what is missing, and what helps if the generation still serves
     */
    public MissingRowsException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Thrown when something lies among the rows of a generation that is none of them. */
  final class UnexpectedRowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param id its key in the target
     */
    public UnexpectedRowException(String id, LayoutException cause) {
      super(
          "%s lies among its rows and is none, as if somebody else wrote or changed it: %s; verify the view to learn what else is so, and what helps"
              .formatted(id, cause.getMessage()),
          cause);
    }
  }
}
