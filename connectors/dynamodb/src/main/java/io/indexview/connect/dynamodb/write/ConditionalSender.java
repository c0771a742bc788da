package io.indexview.connect.dynamodb.write;

import io.indexview.connect.dynamodb.write.RowWriter.RowSender;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.ItemWrite;
import io.indexview.dynamodb.WriteCondition;
import io.indexview.views.layout.ItemSize;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One row per request, held off by a newer row. A delete leaves a tombstone with its revision. */
final class ConditionalSender implements RowSender {
  private static final int UNIT_BYTES = 1024;

  private final ItemStore store;

  ConditionalSender(ItemStore store) {
    this.store = store;
  }

  @Override
  public List<RowWrite> take(KeyedWriteBuffer buffer, String table) {
    RowWrite write = buffer.take(table);
    return write == null ? List.of() : List.of(write);
  }

  @Override
  public CompletableFuture<Sent> send(List<RowWrite> writes) {
    RowWrite write = writes.get(0);
    return store
        .put(
            write.key().table(),
            new ItemWrite.Put(write.key().attributes(), write.itemOrTombstone()),
            write.fence())
        .handle(
            (result, thrown) ->
                thrown == null
                    ? new Sent(List.of(outcome(write.fence(), result)), units(write, result))
                    : new Sent(List.of(RowOutcome.of(thrown)), 0));
  }

  /** The store does not tell what a refusal takes: as much as writing the larger of both items. */
  private static double units(RowWrite write, WriteResult result) {
    if (result.applied()) {
      return result.units();
    }
    long bytes = Math.max(ItemSize.of(write.itemOrTombstone()), ItemSize.of(result.existing()));
    return Math.ceil((double) bytes / UNIT_BYTES);
  }

  private static RowOutcome outcome(WriteCondition fence, WriteResult result) {
    if (result.applied()) {
      return new RowOutcome.Applied(false);
    }
    List<String> strange =
        fence.attributes().stream()
            .filter(attribute -> !(result.existing().get(attribute) instanceof Number))
            .toList();
    if (strange.isEmpty()) {
      return new RowOutcome.Applied(true);
    }
    return new RowOutcome.Rejected(
        "the table has an item of this key that is no row: it has no number %s; remove the item, or give the view a table of its own"
            .formatted(String.join(", ", strange)),
        null);
  }
}
