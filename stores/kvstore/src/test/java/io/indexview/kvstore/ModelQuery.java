package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One question, put to a store and to the model in every way that the port has. */
record ModelQuery(
    List<String> major, List<String> minor, KvRange range, boolean includesParent, int batchSize) {
  void check(KvStore store, KvStoreModel model, String root) {
    KvKey key = new KvKey(ModelStep.below(root, major), minor);
    assertThat(store.get(key)).isEqualTo(model.get(key));

    KvSelection selection = new KvSelection(key, range, includesParent);
    List<KvRecord> selected = model.select(selection);
    assertThat(store.multiGet(selection, KvConsistency.ABSOLUTE)).isEqualTo(selected);
    assertThat(iterated(store, selection, KvDirection.FORWARD)).isEqualTo(selected);
    List<KvRecord> reversed = new ArrayList<>(selected);
    Collections.reverse(reversed);
    assertThat(iterated(store, selection, KvDirection.REVERSE)).isEqualTo(reversed);

    KvScan scan =
        KvScan.under(key.majorKey())
            .withRange(range)
            .withBatchSize(batchSize)
            .withConcurrency(batchSize);
    List<KvRecord> expected = model.scan(key.majorKey(), range);
    assertThat(drained(store.storeIterator(scan))).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(drained(store.storeKeysIterator(scan)))
        .containsExactlyInAnyOrderElementsOf(expected.stream().map(KvRecord::key).toList());
  }

  private List<KvRecord> iterated(KvStore store, KvSelection selection, KvDirection direction) {
    return drained(store.iterator(selection, direction, KvConsistency.ABSOLUTE, batchSize));
  }

  private static <T> List<T> drained(KvIterator<T> iterator) {
    List<T> all = new ArrayList<>();
    try (iterator) {
      iterator.forEachRemaining(all::add);
    }
    return all;
  }
}
