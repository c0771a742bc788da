package io.indexview.connect.dynamodb.write;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.WriteCondition;
import io.indexview.views.layout.ItemSize;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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

  /**
   * One row per request, held off by a newer row. A delete leaves a tombstone with its revision.
   */
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

    /**
     * The store does not tell what a refusal takes: as much as writing the larger of both items.
     */
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

  /** What became of a write that was sent. */
  sealed interface RowOutcome {

    /** Outcome of a request that failed. */
    static RowOutcome of(Throwable thrown) {
      Throwable cause =
          thrown instanceof CompletionException && thrown.getCause() != null
              ? thrown.getCause()
              : thrown;
      if (cause instanceof ItemStoreException.Unavailable unavailable) {
        return new Again(unavailable);
      }
      if (cause instanceof ItemStoreException.Rejected rejected) {
        return new Rejected(rejected.getMessage(), rejected);
      }
      if (cause instanceof ItemStoreException.NoTable missing) {
        return new NoTable(missing);
      }
      return new Failed(
          cause instanceof ItemStoreException.Permanent permanent
              ? permanent
              : new ItemStoreException.Permanent("writing failed: " + cause.getMessage(), cause));
    }

    /** The row is as the write wants it, or newer. */
    record Applied(boolean lost) implements RowOutcome {}

    /** The write may succeed later. */
    record Again(ItemStoreException.Unavailable cause) implements RowOutcome {}

    /** One of several writes of a request is at fault; each has to be sent alone. */
    record AgainAlone() implements RowOutcome {}

    /** The store will never take it. */
    record Rejected(String reason, Throwable cause) implements RowOutcome {}

    /** There is no table of that name now: what that means of the row is for others to say. */
    record NoTable(ItemStoreException.NoTable cause) implements RowOutcome {}

    /** The write failed, and no other try will help. */
    record Failed(ItemStoreException cause) implements RowOutcome {}
  }
}
