package io.indexview.connect.kvstore.sink;

import io.indexview.connect.kvstore.sink.RowWriter.Refusal;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import io.indexview.views.layout.KvContent;
import io.indexview.views.layout.LayoutException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a batch changes in one record of the store.
 *
 * @param writes at least one, all of this key
 */
record FencedRow(KvKey key, List<RowWrite> writes) {

  /** The records that writes change, in the order in which their keys come first. */
  static List<FencedRow> of(Collection<RowWrite> writes) {
    Map<KvKey, List<RowWrite>> byKey = new LinkedHashMap<>();
    writes.forEach(
        write -> byKey.computeIfAbsent(write.key(), key -> new ArrayList<>()).add(write));
    return byKey.entrySet().stream()
        .map(entry -> new FencedRow(entry.getKey(), entry.getValue()))
        .toList();
  }

  /**
   * What is to be done about a record.
   *
   * @param operation holds only if the record is still as it was found; empty: what the batch has
   *     is there already, or something newer
   * @param refusals writes that have no place in it
   * @param heldOff writes that are there already, or something newer in their place
   */
  record Decision(Optional<KvOperation> operation, List<Refusal> refusals, int heldOff) {}

  List<Refusal> refused(RuntimeException cause) {
    return writes.stream().map(write -> new Refusal(write, cause)).toList();
  }

  /**
   * What is to be done if this is what the store holds.
   *
   * @param tombstonesFrom revision from which on tombstones count
   * @param maxBytes that the record's value may take when it grows
   */
  Decision over(Optional<KvRecord> found, long tombstonesFrom, int maxBytes) {
    KvContent content;
    try {
      byte[] value = found.map(KvRecord::value).orElse(null);
      content = writes.get(0).layout().content(value, tombstonesFrom, maxBytes);
    } catch (LayoutException e) {
      return new Decision(Optional.empty(), refused(foreign(e)), 0);
    }
    int heldOff = 0;
    List<Refusal> refusals = new ArrayList<>();
    for (RowWrite write : writes) {
      try {
        heldOff += content.merge(write.value(), write.revision(), write.isDelete()) ? 0 : 1;
      } catch (LayoutException e) {
        refusals.add(new Refusal(write, e));
      }
    }
    boolean isChanged = heldOff + refusals.size() < writes.size();
    Optional<KvOperation> operation =
        isChanged ? replacing(found, content.value()) : Optional.empty();
    return new Decision(operation, refusals, heldOff);
  }

  private static LayoutException foreign(LayoutException cause) {
    return new LayoutException(
        "under the row's key the store holds something that is no row of the view, which is not"
            + " replaced: %s; remove it, or rebuild the view".formatted(cause.getMessage()),
        cause);
  }

  private Optional<KvOperation> replacing(Optional<KvRecord> found, Optional<byte[]> next) {
    if (found.isEmpty()) {
      return next.map(value -> new KvOperation.PutIfAbsent(key, value));
    }
    KvVersion version = found.get().version();
    return Optional.of(
        next.<KvOperation>map(value -> new KvOperation.PutIfVersion(key, value, version))
            .orElseGet(() -> new KvOperation.DeleteIfVersion(key, version)));
  }
}
