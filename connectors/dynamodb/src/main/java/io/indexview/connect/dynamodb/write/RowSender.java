package io.indexview.connect.dynamodb.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends writes to the store, in one mode. Its futures never fail: what fails is an outcome. */
interface RowSender {

  /** Takes what one request carries from a table's writes in the buffer; none if none is ready. */
  List<RowWrite> take(KeyedWriteBuffer buffer, String table);

  /** Sends one request. */
  CompletableFuture<Sent> send(List<RowWrite> writes);

  /**
   * What became of a request.
   *
   * @param outcomes one per write, in order
   * @param units write capacity units that it took, estimated where only its size tells; 0 if
   *     nothing does
   */
  record Sent(List<RowOutcome> outcomes, double units) {}
}
