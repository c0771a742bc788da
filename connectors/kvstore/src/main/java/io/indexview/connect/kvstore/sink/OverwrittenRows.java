package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvStoreException;
import java.util.ArrayList;
import java.util.List;

/** Writes rows over whatever is there: together, or one by one if the store refuses that. */
final class OverwrittenRows implements RowRequest {
  @Override
  public List<Refusal> apply(List<RowWrite> writes, Attempt attempt) {
    return writes.size() > 1 ? applyTogether(writes, attempt) : applySingly(writes, attempt);
  }

  private static List<Refusal> applyTogether(List<RowWrite> writes, Attempt attempt) {
    if (attempt.isOver()) {
      return List.of();
    }
    try {
      attempt.store().execute(writes.stream().map(RowWrite::operation).toList());
      return List.of();
    } catch (KvStoreException.Refused e) {
      return applySingly(writes, attempt);
    }
  }

  private static List<Refusal> applySingly(List<RowWrite> writes, Attempt attempt) {
    List<Refusal> refusals = new ArrayList<>();
    for (RowWrite write : writes) {
      if (attempt.isOver()) {
        return refusals;
      }
      try {
        apply(write, attempt);
      } catch (KvStoreException.Refused e) {
        refusals.add(new Refusal(write, e));
      }
    }
    return refusals;
  }

  private static void apply(RowWrite write, Attempt attempt) {
    if (write.value() == null) {
      attempt.store().delete(write.key());
    } else {
      attempt.store().put(write.key(), write.value());
    }
  }
}
