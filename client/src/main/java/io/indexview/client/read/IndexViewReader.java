package io.indexview.client.read;

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
   * @throws InvalidQueryException with everything that is wrong with the query
   * @throws io.indexview.client.page.InvalidPageTokenException if its page token is of another
   *     query or view, or was tampered with
   * @throws GenerationGoneException if the generation that its page token names serves no more
   * @throws io.indexview.client.admin.ViewNotFoundException if the target has no view of that name
   * @throws ViewNotReadyException if the view is not READY and {@link ReadOptions#notReady} takes
   *     no other
   * @throws TooManyRowsException if the rows lie in many places and are too many to be sorted
   * @throws io.indexview.client.token.InvalidFreshnessTokenException if {@link ReadOptions#atLeast}
   *     is of other records than the view's
   * @throws io.indexview.client.token.NotVisibleException if the view does not include that write
   *     in time
   * @throws io.indexview.kvstore.KvStoreException if the KV store does not answer, or refuses
   * @throws io.indexview.dynamodb.ItemStoreException if DynamoDB does not answer, or refuses; a
   *     table of rows that is not there makes the view not READY
   */
  RowPage read(ViewQuery query, ReadOptions options);

  /** Reads one page of a READY view, with the strongest consistency there is. */
  default RowPage read(ViewQuery query) {
    return read(query, ReadOptions.DEFAULT);
  }
}
