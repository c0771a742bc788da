package io.indexview.client.write;

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
}
