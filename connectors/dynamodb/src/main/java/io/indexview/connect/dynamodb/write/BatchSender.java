package io.indexview.connect.dynamodb.write;

import io.indexview.connect.dynamodb.write.RowWriter.RowSender;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.ItemWrite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Several rows per request, without conditions. */
final class BatchSender implements RowSender {
  private final ItemStore store;

  BatchSender(ItemStore store) {
    this.store = store;
  }

  @Override
  public List<RowWrite> take(KeyedWriteBuffer buffer, String table) {
    return buffer.takeBatch(table, ItemStore.BATCH_LIMIT);
  }

  @Override
  public CompletableFuture<Sent> send(List<RowWrite> writes) {
    return store
        .writeBatch(writes.get(0).key().table(), writes.stream().map(BatchSender::write).toList())
        .handle(
            (result, thrown) ->
                thrown == null
                    ? new Sent(outcomes(writes.size(), result.unprocessed()), result.units())
                    : new Sent(
                        Collections.nCopies(writes.size(), failure(writes.size(), thrown)), 0));
  }

  private static ItemWrite write(RowWrite write) {
    return write.isDelete()
        ? new ItemWrite.Delete(write.key().attributes())
        : new ItemWrite.Put(write.key().attributes(), write.itemOrTombstone());
  }

  private static List<RowOutcome> outcomes(int size, List<Integer> unprocessed) {
    List<RowOutcome> outcomes =
        new ArrayList<>(Collections.nCopies(size, new RowOutcome.Applied(false)));
    for (int index : unprocessed) {
      outcomes.set(
          index,
          new RowOutcome.Again(
              new ItemStoreException.Unavailable("the store left items unprocessed", null)));
    }
    return outcomes;
  }

  private static RowOutcome failure(int size, Throwable thrown) {
    RowOutcome outcome = RowOutcome.of(thrown);
    return outcome instanceof RowOutcome.Rejected && size > 1
        ? new RowOutcome.AgainAlone()
        : outcome;
  }
}
