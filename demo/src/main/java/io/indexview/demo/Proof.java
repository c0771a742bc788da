package io.indexview.demo;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.verification.DynamoDbRows;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.TargetRows;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** Recomputes the views from what the store and the bucket hold now, and compares. */
final class Proof {
  /** What a notification tells of a file, but the bucket's listing does not. */
  private static final Set<String> NOT_LISTED = Set.of("sequencer", "versionId", "uploadTime");

  private final DemoPlan plan;
  private final Clients clients;

  Proof(DemoPlan plan, Clients clients) {
    this.plan = plan;
    this.clients = clients;
  }

  List<Verification> of(List<ViewGeneration> generations) {
    return generations.stream().map(this::of).toList();
  }

  private Verification of(ViewGeneration generation) {
    TargetRows rows =
        generation.definition().target() instanceof Target.Kv
            ? new KvRows(clients.store(), generation)
            : new DynamoDbRows(clients.items(), generation);
    String source = generation.definition().source();
    if (source.equals(PipelineSpec.FILES)) {
      return ViewVerifier.verify(generation, clients.bucket().primaryRecords(), rows, NOT_LISTED);
    }
    DataSet set = plan.dataSet(source);
    KvScan scan = KvScan.under(new KvKey(set.key().prefix(), List.of()));
    try (KvIterator<KvRecord> records = clients.store().storeIterator(scan)) {
      return ViewVerifier.verify(generation, new StoredRecords(records, set), rows, Set.of());
    }
  }

  private record StoredRecords(KvIterator<KvRecord> records, DataSet set)
      implements Iterator<PrimaryRecord> {
    @Override
    public boolean hasNext() {
      return records.hasNext();
    }

    @Override
    public PrimaryRecord next() {
      KvRecord record = records.next();
      return new PrimaryRecord(record.key().toString(), set.decode(record));
    }
  }
}
