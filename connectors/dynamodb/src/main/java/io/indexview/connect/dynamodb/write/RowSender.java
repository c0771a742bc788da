package io.indexview.connect.dynamodb.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends writes to the store, in one mode. Its futures never fail: what fails is an outcome. */
interface RowSender {

  /** Takes what one request carries from the buffer; none if nothing is ready. */
  List<RowWrite> take(KeyedWriteBuffer buffer);

  /** Sends one request; one outcome per write, in order. */
  CompletableFuture<List<RowOutcome>> send(List<RowWrite> writes);
}
