package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.SourceVersion;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a source scans, and for how long it has nothing to do. */
class ScanPausesTest {
  @TempDir private Path directory;
  private SourceHarness harness;

  @BeforeEach
  void start() {
    harness = new SourceHarness(directory);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  @Test
  void hasNothingToWaitForWhileAScanFindsNothing() {
    harness.put(1, "Ada");
    harness.scan();
    assertThat(harness.idle()).isPositive();
    harness.pass(SourceHarness.INTERVAL);

    assertThat(ops(harness.poll())).isEmpty();
    assertThat(harness.idle()).isZero();
  }

  @Test
  void restsInProportionToAScanThatFoundNothing() {
    harness.put(1, "Ada");
    harness.scan();
    harness.scanSlowly(Duration.ofMillis(200));
    harness.pass(SourceHarness.MAX_INTERVAL);
    Duration length = harness.scanSlowly(Duration.ofMillis(100));

    harness.pass(SourceHarness.INTERVAL);
    assertThat(harness.isScanning()).isFalse();
    harness.pass(length.multipliedBy(19).minus(SourceHarness.INTERVAL));
    assertThat(harness.isScanning()).isTrue();
  }

  @Test
  void restsAfterAFirstScanThatIsLongerThanAnyPause() {
    harness.scanSlowly(Duration.ofMinutes(3));

    harness.pass(SourceHarness.MAX_INTERVAL.minus(SourceHarness.INTERVAL));
    assertThat(harness.isScanning()).isFalse();
    harness.pass(SourceHarness.INTERVAL);
    assertThat(harness.isScanning()).isTrue();
  }

  @Test
  void restsNoLongerThanItMayHoweverLongAScanTook() {
    harness.put(1, "Ada");
    harness.scan();
    harness.scanSlowly(Duration.ofMinutes(1));
    harness.pass(SourceHarness.MAX_INTERVAL);
    harness.scanSlowly(Duration.ofMinutes(1));

    harness.pass(SourceHarness.MAX_INTERVAL.minus(SourceHarness.INTERVAL));
    assertThat(harness.isScanning()).isFalse();
    harness.pass(SourceHarness.MAX_INTERVAL);
    assertThat(harness.isScanning()).isTrue();
  }

  @Test
  void judgesWhatAScanCostsByTheShorterOfTwo() {
    harness.scan();
    harness.pass(SourceHarness.INTERVAL);
    harness.scanSlowly(Duration.ofMinutes(1));

    harness.pass(SourceHarness.INTERVAL);
    assertThat(harness.isScanning()).isTrue();
  }

  @Test
  void scansAgainSoonWhereAScanFoundSomething() {
    harness.put(1, "Ada");
    harness.scan();
    harness.put(1, "Ada Lovelace");
    harness.scanSlowly(Duration.ofMillis(100));

    harness.pass(SourceHarness.INTERVAL);
    assertThat(harness.isScanning()).isTrue();
  }

  private void scanUntilTheIndexIsRead() {
    harness.put(1, "Ada");
    harness.scan();
    for (int slow = 0; slow < 2; slow++) {
      harness.scanSlowly(Duration.ofMinutes(1));
      harness.pass(SourceHarness.MAX_INTERVAL);
    }
    for (int polls = 0; polls < 3; polls++) {
      harness.poll();
    }
  }

  /** As after each write by a writer while a chunk is scanned. */
  @Test
  void restsWhereWhatAScanPassedOverIsPublishedByThen() {
    scanUntilTheIndexIsRead();
    KvVersion written = harness.put(1, "Ada Lovelace");
    harness.tell(People.key(1).toString(), harness.version(written), "Ada Lovelace");
    harness.scanSlowly(Duration.ofMinutes(1));
    assertThat(harness.stored()).isEqualTo(harness.alive());

    harness.pass(SourceHarness.INTERVAL);
    assertThat(harness.isScanning()).isFalse();
  }

  /** A late event met the record meanwhile, so that its difference was not sent. */
  @Test
  void scansAgainSoonWhereAScanPassedADifferenceOver() {
    scanUntilTheIndexIsRead();
    harness.put(1, "Ada Lovelace");
    harness.tell(
        People.key(1).toString(), new SourceVersion("1/gone", new byte[] {9}), "Of before");
    harness.scanSlowly(Duration.ofMinutes(1));
    assertThat(harness.stored()).isNotEqualTo(harness.alive());

    harness.pass(SourceHarness.INTERVAL);
    assertThat(harness.isScanning()).isTrue();
  }

  @Test
  void doesNotIdleWhileEventsCome() {
    harness.scan();
    assertThat(harness.idle()).isPositive();

    harness.tell("/Corporate/people/1", new SourceVersion("1/1", new byte[] {1}), "Ada");
    harness.poll();
    assertThat(harness.idle()).isZero();
  }

  @Test
  void waitsWhileItsStoreIsAway() {
    harness.put(1, "Ada");
    harness.scan();
    harness.request(1);
    harness.pass(SourceHarness.INTERVAL);
    harness.poll();
    harness.setStoreAvailable(false);
    for (int i = 0; i < 10; i++) {
      harness.poll();
    }
    assertThat(harness.idle()).isPositive();
  }
}
