package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.LayoutException;
import java.util.ArrayList;
import java.util.Arrays;
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

  boolean hasDelete() {
    return writes.stream().anyMatch(RowWrite::isDelete);
  }

  List<Refusal> refused(RuntimeException cause) {
    return writes.stream().map(write -> new Refusal(write, cause)).toList();
  }

  /**
   * What is to be done if this is what the store holds.
   *
   * @param markersFrom revision from which on deletion markers count
   */
  Decision over(Optional<KvRecord> found, long markersFrom) {
    KvLayout layout = writes.get(0).layout();
    byte[] current;
    try {
      current =
          found.flatMap(record -> layout.withoutMarkers(record.value(), markersFrom)).orElse(null);
    } catch (LayoutException e) {
      return new Decision(Optional.empty(), refused(foreign(e)), 0);
    }
    byte[] merged = current;
    int heldOff = 0;
    List<Refusal> refusals = new ArrayList<>();
    for (RowWrite write : writes) {
      try {
        Optional<byte[]> changed = layout.merged(merged, write.value());
        heldOff += changed.isEmpty() ? 1 : 0;
        merged = changed.orElse(merged);
      } catch (LayoutException e) {
        refusals.add(new Refusal(write, e));
      }
    }
    Optional<KvOperation> operation =
        merged == current ? Optional.empty() : replacing(found, current, left(merged, markersFrom));
    return new Decision(operation, refusals, heldOff);
  }

  /** A deletion told again after long leaves no marker that would count no more. */
  private byte[] left(byte[] merged, long markersFrom) {
    return hasDelete()
        ? writes.get(0).layout().withoutMarkers(merged, markersFrom).orElse(null)
        : merged;
  }

  private static LayoutException foreign(LayoutException cause) {
    return new LayoutException(
        "under the row's key the store holds something that is no row of the view, which is not"
            + " replaced: %s; remove it, or rebuild the view".formatted(cause.getMessage()),
        cause);
  }

  /**
   * @param current null: nothing that counts
   * @param next null: nothing
   */
  private Optional<KvOperation> replacing(Optional<KvRecord> found, byte[] current, byte[] next) {
    if (Arrays.equals(current, next)) {
      return Optional.empty();
    } else if (found.isEmpty()) {
      return Optional.of(new KvOperation.PutIfAbsent(key, next));
    }
    KvVersion version = found.get().version();
    return Optional.of(
        next == null
            ? new KvOperation.DeleteIfVersion(key, version)
            : new KvOperation.PutIfVersion(key, next, version));
  }
}
