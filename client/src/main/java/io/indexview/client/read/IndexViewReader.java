package io.indexview.client.read;

import io.indexview.schemas.control.ViewState;

/**
 * Reads views from the target that serves them. Thread-safe; holds nothing that needs closing.
 *
 * <p>A page is returned as READY only if its target said so, with absolute consistency, at most
 * {@link ReaderConfig#metadataMaxAge} before all of its rows were read, or says so afterwards.
 */
public interface IndexViewReader {
  /**
   * Reads one page.
   *
   * @throws io.indexview.client.read.target.ViewRows.InvalidQueryException with everything that is
   *     wrong with the query
   * @throws io.indexview.client.read.PageTokens.InvalidPageTokenException if its page token is of
   *     another query or view, or one that is defined otherwise, or was tampered with
   * @throws GenerationGoneException if the generation that its page token names no longer serves
   * @throws io.indexview.client.admin.ViewNotFoundException if the target has no view of that name
   * @throws ViewNotReadyException if the view is not READY and {@link ReadOptions#notReady} takes
   *     no other, or the page comes by something that is no row, or the view's metadata cannot be
   *     read, as that of a newer release
   * @throws io.indexview.client.read.target.ViewRows.TooManyRowsException if the rows lie in many
   *     places and are too many to be sorted
   * @throws io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException if {@link
   *     ReadOptions#atLeast} is of other records than the view's
   * @throws io.indexview.client.token.FreshnessGate.NotVisibleException if the view does not
   *     include that write in time
   * @throws io.indexview.kvstore.KvStoreException if the KV store does not answer, or refuses
   * @throws io.indexview.dynamodb.ItemStoreException if DynamoDB does not answer, or refuses; a
   *     table of rows that is not there makes the view not READY
   */
  RowPage read(ViewQuery query, ReadOptions options);

  /** Reads one page of a READY view, with the strongest consistency there is. */
  default RowPage read(ViewQuery query) {
    return read(query, ReadOptions.DEFAULT);
  }

  /** The generation that a page token names no longer serves: its rows are going, or gone. */
  final class GenerationGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public GenerationGoneException(String view, int generation) {
      super(
          "View \"%s\": generation gone: the page token is of generation %d, which no longer serves;"
                  .formatted(view, generation)
              + " start over without the token");
    }
  }

  /** A view whose rows may be wrong or missing, or are not as fresh as was asked for. */
  final class ViewNotReadyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String view;
    private final ViewState.State state;
    private final String reason;

    /**
     * @param reason empty: not known
     */
    public ViewNotReadyException(String view, ViewState.State state, String reason) {
      super(
          "View \"%s\" is %s%s%s"
              .formatted(
                  view,
                  state,
                  state == ViewState.State.READY ? ", but not as it was asked for" : "",
                  reason.isEmpty() ? "" : ": " + reason));
      this.view = view;
      this.state = state;
      this.reason = reason;
    }

    public String view() {
      return view;
    }

    public ViewState.State state() {
      return state;
    }

    /** Empty: not known. */
    public String reason() {
      return reason;
    }
  }
}
