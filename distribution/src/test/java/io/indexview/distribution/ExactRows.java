package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Iterators;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.local.LocalStack;
import io.indexview.verification.DynamoDbRows;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.TargetRows;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.ViewGeneration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Set;

/** Compares every row of views with what {@link Load} wrote. */
final class ExactRows {
  private ExactRows() {}

  static void verify(LocalStack stack, Collection<ViewGeneration> generations) {
    try (KvStore store = stack.openKvStore();
        ItemStore items = stack.openItemStore()) {
      for (ViewGeneration generation : generations) {
        Verification verification = verify(stack, generation, store, items);
        assertThat(verification.exact()).as("%s", verification).isTrue();
        assertThat(verification.rows()).isPositive();
      }
    }
  }

  private static Verification verify(
      LocalStack stack, ViewGeneration generation, KvStore store, ItemStore items) {
    String source = Load.written(generation.definition().source());
    TargetRows rows =
        source.equals("orders")
            ? new DynamoDbRows(items, generation)
            : new KvRows(store, generation);
    if (source.equals("files")) {
      return ViewVerifier.verify(generation, Load.files(stack), rows, Set.of());
    }
    try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(Load.prefix(source)))) {
      Iterator<PrimaryRecord> primaries =
          Iterators.transform(records, record -> Load.primaryRecord(source, record));
      return ViewVerifier.verify(generation, primaries, rows, Set.of());
    }
  }
}
