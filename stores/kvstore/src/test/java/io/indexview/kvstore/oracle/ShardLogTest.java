package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.oracle.OracleChanges.WantedKeys;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What one who follows a log makes of it. */
class ShardLogTest {
  private static final String SHARD = "rg1";
  private static final KvKeySet ALL = KvKeySet.under(KvKey.ofMajor("k"));

  @Property(tries = 3_000)
  void knowsEveryRecordAfterWhateverHappened(@ForAll(supplier = Seeds.class) long seed) {
    new LogSimulation(new Random(seed)).run(1);
  }

  private final ChangeHints hints = new ChangeHints();

  private ShardLog log(KvChangePosition.Entry from) {
    return new ShardLog(SHARD, from, 1, new WantedKeys(ALL), hints);
  }

  private ShardLog.Stream ofNewStore() {
    ShardLog.Stream stream = log(null).begin(0);
    stream.beginsWithLog();
    return stream;
  }

  private static byte[] bytes(String minor) {
    return Translation.key(KvKey.ofMajor("k", minor)).toByteArray();
  }

  @Example
  void namesATransactionWhenItIsCommitted() {
    ShardLog.Stream stream = ofNewStore();
    stream.changed(1, -1, 0, bytes("a"));
    stream.changed(2, -2, 0, bytes("b"));
    stream.aborted(3, -2, 0);
    assertThat(hints.poll(0).keys()).isEmpty();

    stream.changed(4, -1, 0, bytes("c"));
    stream.committed(5, -1, 0);

    assertThat(hints.poll(0).keys())
        .containsExactly(KvKey.ofMajor("k", "a"), KvKey.ofMajor("k", "c"));
  }

  @Example
  void readsOnFromTheFirstTransactionThatIsOpen() {
    ShardLog.Stream stream = ofNewStore();
    stream.changed(1, -1, 0, bytes("a"));
    stream.changed(2, -2, 0, bytes("b"));
    stream.committed(3, -2, 0);

    KvChangePosition.Entry kept = hints.poll(0).next().shards().get(SHARD);
    ShardLog.Stream resumed = log(kept).begin(3);
    assertThat(resumed.startAt()).isEqualTo(1);
    assertThat(resumed.isExact()).isTrue();
    resumed.changed(1, -1, 0, bytes("a"));
    resumed.changed(2, -2, 0, bytes("b"));
    resumed.committed(3, -2, 0);
    assertThat(hints.poll(0).keys()).as("dealt with").isEmpty();
    resumed.committed(4, -1, 0);

    Batch batch = hints.poll(0);
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "a"));
    assertThat(batch.hasGap()).isFalse();
  }

  @Example
  void hasAGapAfterAPositionWhoseEntryIsLost() {
    ShardLog.Stream stream = ofNewStore();
    stream.changed(1, -1, 0, bytes("a"));
    stream.committed(2, -1, 0);
    KvChangePosition.Entry kept = hints.poll(0).next().shards().get(SHARD);

    ShardLog shorter = log(kept);
    assertThat(shorter.begin(1).isExact()).isFalse();
    assertThat(hints.poll(0).hasGap()).isTrue();

    ShardLog other = log(kept);
    ShardLog.Stream different = other.begin(2);
    different.committed(2, -1, 7);
    assertThat(different.isOver()).isTrue();
    other.begin(2);
    assertThat(hints.poll(0).hasGap()).isTrue();
  }

  @Example
  void hasAGapWhenATransactionMayHaveBegunBeforeTheStream() {
    ShardLog.Stream stream = log(null).begin(100);
    stream.changed(99, -1, 1_000, bytes("a"));
    stream.committed(101, -1, 1_000);
    assertThat(hints.poll(0).hasGap()).isTrue();

    long later = 1_000 + ShardLog.MAX_TRANSACTION_MS;
    stream.changed(102, -2, later, bytes("b"));
    stream.committed(103, -2, later);
    Batch batch = hints.poll(0);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "b"));
  }

  @Example
  void canGoOnFromALogInWhichNothingIsWritten() {
    ShardLog.Stream stream = log(null).begin(100);
    stream.committed(100, -1, 1_000);
    assertThat(log(kept()).begin(100).isExact()).as("a transaction may be open").isFalse();

    stream.outlivesStrangers();
    ShardLog.Stream resumed = log(kept()).begin(101);
    assertThat(resumed.isExact()).isTrue();
    resumed.committed(100, -1, 1_000);
    resumed.changed(101, -2, 1_000, bytes("a"));
    resumed.committed(102, -2, 1_000);
    Batch batch = hints.poll(0);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "a"));
  }

  @Example
  void canGoOnFromALogThatIsReadBeforeItIsKnownToBeginThere() {
    ShardLog.Stream stream = log(null).begin(2);
    stream.changed(1, -1, 1_000, bytes("a"));
    stream.committed(2, -1, 1_000);
    stream.beginsWithLog();
    assertThat(log(kept()).begin(2).isExact()).isTrue();
  }

  private KvChangePosition.Entry kept() {
    return hints.poll(0).next().shards().get(SHARD);
  }

  @Example
  void hasAGapAfterATransactionThatIsTooLarge() {
    ShardLog.Stream stream = ofNewStore();
    long number = 1;
    for (int i = 0; i < 200; i++) {
      stream.changed(number++, -1, 0, bytes("x".repeat(30_000) + i));
    }
    stream.committed(number++, -1, 0);
    assertThat(hints.poll(0).hasGap()).isTrue();

    stream.changed(number++, -2, 0, bytes("a"));
    stream.committed(number, -2, 0);
    Batch batch = hints.poll(0);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "a"));
  }

  @Example
  void readsNothingOfAStreamThatWasReplaced() {
    ShardLog log = log(null);
    ShardLog.Stream old = log.begin(0);
    log.begin(0);
    hints.poll(0);
    old.changed(1, -1, 0, bytes("a"));
    old.committed(2, -1, 0);

    assertThat(hints.poll(0).keys()).isEmpty();
    assertThat(old.isOver()).isTrue();
  }
}
