package io.indexview.connect.dynamodb.write;

import io.indexview.dynamodb.Fence;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemWrite;
import io.indexview.dynamodb.WriteResult;
import io.indexview.views.layout.DynamoDbLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One row per request, held off by a newer row. A delete leaves a marker with its revision. */
final class ConditionalSender implements RowSender {
  private final ItemStore store;

  ConditionalSender(ItemStore store) {
    this.store = store;
  }

  @Override
  public List<RowWrite> take(KeyedWriteBuffer buffer) {
    RowWrite write = buffer.take();
    return write == null ? List.of() : List.of(write);
  }

  @Override
  public CompletableFuture<List<RowOutcome>> send(List<RowWrite> writes) {
    RowWrite write = writes.get(0);
    Fence fence = new Fence(DynamoDbLayout.VERSION, write.revision());
    return store
        .put(
            write.key().table(),
            new ItemWrite.Put(write.key().attributes(), write.itemOrMarker()),
            fence)
        .handle(
            (result, thrown) -> List.of(thrown == null ? outcome(result) : Outcomes.of(thrown)));
  }

  private static RowOutcome outcome(WriteResult result) {
    if (result.applied()) {
      return new RowOutcome.Applied(false);
    }
    Object version = result.existing().get(DynamoDbLayout.VERSION);
    if (version instanceof Number) {
      return new RowOutcome.Applied(true);
    }
    return new RowOutcome.Rejected(
        "the table has an item of this key whose attribute %s is no revision; remove the item, or give the view a table of its own"
            .formatted(DynamoDbLayout.VERSION),
        null);
  }
}
