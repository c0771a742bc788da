package io.indexview.client.write;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvStoreException;
import java.util.List;

/**
 * What {@link Writer#multiDelete} removed.
 *
 * @param removed those of a major path one after the other, in key order
 * @param atomic whether that is all there was, and went in one transaction
 * @param more whether records are left that begin with the partial key
 */
public record MultiDelete(List<Written> removed, boolean atomic, boolean more) {
  public MultiDelete {
    removed = List.copyOf(removed);
  }

  /**
   * The store failed when {@link Writer#multiDelete} had removed some records. The others stand,
   * but for those of one major path, which may be gone as well.
   */
  public static final class MultiDeleteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient MultiDelete done;

    /**
     * @param open the major path that the store was asked to remove when it failed
     */
    MultiDeleteException(
        KvPartialKey partial, MultiDelete done, KvKey open, KvStoreException cause) {
      super(
          ("%d records that begin with %s are removed, then the store failed: %s Of the records of %s"
                  + " it is not known; all others stand.")
              .formatted(done.removed().size(), partial, cause.getMessage(), open),
          cause);
      this.done = done;
    }

    /** What was removed. */
    public MultiDelete done() {
      return done;
    }
  }
}
