package io.indexview.demo;

import io.indexview.cli.output.TextTable;
import io.indexview.demo.DataSet.Snapshot;
import io.indexview.demo.SnapshotLoader.Changes;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.local.pipeline.Settling;
import io.indexview.verification.ViewVerifier.Verification;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The main job: changes records and files round by round on a running stack, and after each round
 * waits until the views have everything and proves them.
 */
final class DemoJob {
  /** Long enough for a big first snapshot on a small machine; a stuck stage is named before. */
  private static final Duration SETTLE_TIMEOUT = Duration.ofMinutes(10);

  private final DemoPlan plan;
  private final Settling settling;
  private final Clients clients;
  private final PrintWriter out;
  private final FileRounds files;
  private final Proof proof;

  DemoJob(DemoPlan plan, Settling settling, Clients clients, PrintWriter out) {
    this.plan = plan;
    this.settling = settling;
    this.clients = clients;
    this.out = out;
    this.files = new FileRounds(clients.bucket(), FileTree.of(plan.files()));
    this.proof = new Proof(plan, clients);
  }

  /**
   * Runs all rounds.
   *
   * @return whether every view was exact after each round
   * @throws InputException if a record cannot be used
   */
  boolean run() throws IOException, InterruptedException {
    boolean exact = true;
    for (int round = 0; round < plan.rounds(); round++) {
      exact &= round(round);
    }
    if (plan.rounds() == 1) {
      exact &= shuffleRound();
    }
    new Showcase(plan, clients, out).print(settling.generations());
    return exact;
  }

  private boolean round(int round) throws IOException, InterruptedException {
    TextTable table = changesTable();
    for (DataSet set : plan.dataSets()) {
      if (round < set.snapshots().size()) {
        Snapshot snapshot = set.snapshots().get(round);
        try (JsonLines records = snapshot.open(set.schema())) {
          SnapshotLoader loader = new SnapshotLoader(clients.store(), set.key(), set.schema());
          row(table, set.name(), snapshot.name(), loader.apply(records));
        }
      }
    }
    row(table, "files", plan.files().toString(), files.round(round));
    return settleAndProve("Round " + (round + 1) + ": what changed", table);
  }

  /** A single snapshot has no history, so some records change places, and some go. */
  private boolean shuffleRound() throws InterruptedException {
    TextTable table = changesTable();
    for (DataSet set : plan.dataSets()) {
      row(
          table,
          set.name(),
          "records moved and deleted",
          new Shuffle(clients.store(), set.key()).run());
    }
    row(table, "files", plan.files().toString(), files.round(1));
    return settleAndProve("Last round: what changed", table);
  }

  private boolean settleAndProve(String title, TextTable changes) throws InterruptedException {
    out.println();
    out.println(title);
    changes.print(out);
    long start = System.nanoTime();
    settling.settle(SETTLE_TIMEOUT);
    double seconds = (System.nanoTime() - start) / 1e9;
    out.println();
    out.printf(
        Locale.ROOT,
        "Proof, %.1f s later: every view recomputed and compared, both ways%n",
        seconds);
    List<Verification> views = proof.of(settling.generations());
    TextTable table = new TextTable("view", "records", "rows", "missing", "dangling", "different");
    views.forEach(
        v -> table.row(v.view(), v.records(), v.rows(), v.missing(), v.dangling(), v.different()));
    table.print(out);
    views.forEach(v -> v.samples().forEach(sample -> out.println("  " + v.view() + ": " + sample)));
    long rows = views.stream().mapToLong(Verification::rows).sum();
    long missing = views.stream().mapToLong(Verification::missing).sum();
    long dangling = views.stream().mapToLong(Verification::dangling).sum();
    long different = views.stream().mapToLong(Verification::different).sum();
    out.printf(Locale.ROOT, "  %,d rows, %,d missing, %,d dangling", rows, missing, dangling);
    out.println(different == 0 ? "" : ", %,d different".formatted(different));
    out.flush();
    return views.stream().allMatch(Verification::exact);
  }

  private static TextTable changesTable() {
    return new TextTable("what", "from", "created", "updated", "deleted", "unchanged");
  }

  private static void row(
      TextTable table, String what, String from, SnapshotLoader.Changes changes) {
    table.row(
        what, from, changes.created(), changes.updated(), changes.deleted(), changes.unchanged());
  }

  /** Moves the values of some records to other keys and deletes some records. */
  static final class Shuffle {
    private static final int MOVED_EVERY = 10;
    private static final int DELETED_EVERY = 25;

    private final KvStore store;
    private final KvKey prefix;

    Shuffle(KvStore store, KeyTemplate template) {
      this.store = store;
      this.prefix = new KvKey(template.prefix(), List.of());
    }

    Changes run() {
      long total = 0;
      List<KvKey> deleted = new ArrayList<>();
      List<KvRecord> moved = new ArrayList<>();
      try (KvIterator<KvRecord> records = store.storeIterator(KvScan.under(prefix))) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          if (total % DELETED_EVERY == 1) {
            deleted.add(record.key());
          } else if (total % MOVED_EVERY == 0) {
            moved.add(record);
          }
          total++;
        }
      }
      for (int i = 0; i < moved.size(); i++) {
        store.put(moved.get(i).key(), moved.get((i + 1) % moved.size()).value());
      }
      deleted.forEach(store::delete);
      long touched = moved.size() + (long) deleted.size();
      return new Changes(0, moved.size(), deleted.size(), total - touched);
    }
  }

  /** Uploads a tree of files, and in later rounds replaces some and deletes some. */
  static final class FileRounds {
    private static final int REPLACED_EVERY = 10;
    private static final int DELETED_EVERY = 15;

    private final Bucket bucket;
    private final List<FileTree.Upload> uploads;

    FileRounds(Bucket bucket, List<FileTree.Upload> uploads) {
      this.bucket = bucket;
      this.uploads = uploads;
    }

    /** Round 0 uploads everything; each later one replaces and deletes other files. */
    Changes round(int round) {
      if (round == 0) {
        uploads.parallelStream().forEach(upload -> bucket.put(upload.objectKey(), upload.file()));
        return new Changes(uploads.size(), 0, 0, 0);
      }
      long updated = 0;
      long deleted = 0;
      for (int i = 0; i < uploads.size(); i++) {
        FileTree.Upload upload = uploads.get(i);
        if ((i + round) % DELETED_EVERY == 0) {
          bucket.delete(upload.objectKey());
          deleted++;
        } else if ((i + round) % REPLACED_EVERY == 0) {
          bucket.put(upload.objectKey(), "replaced in round " + (round + 1) + "\n".repeat(i));
          updated++;
        }
      }
      return new Changes(0, updated, deleted, uploads.size() - updated - deleted);
    }
  }
}
