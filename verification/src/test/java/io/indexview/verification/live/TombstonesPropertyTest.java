package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Verifies rows that are deleted all the time, in a store, while years go by. */
class TombstonesPropertyTest {
  private static final AtomicInteger VIEWS = new AtomicInteger();
  private static final int BEFORE = 300;
  private static final int WORLDS = 20;

  private static Path directory;
  private static KvStore store;

  @BeforeContainer
  static void open() throws IOException {
    directory = Files.createTempDirectory("aged-rows");
    store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
  }

  @AfterContainer
  static void close() throws IOException {
    store.close();
    try (Stream<Path> all = Files.walk(directory)) {
      all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    }
  }

  private static AgedRows world(long seed, Duration sinkRetention) {
    return world(seed, sinkRetention, AgedRows.REMOVAL);
  }

  private static AgedRows world(long seed, Duration sinkRetention, Duration removal) {
    return new AgedRows(store, "aged-" + VIEWS.incrementAndGet(), seed, sinkRetention, removal);
  }

  private static LiveVerification verify(AgedRows world, boolean removes) {
    try {
      Path files = Files.createTempDirectory("live-verification");
      LiveVerification verification =
          new LiveVerification(
              world,
              world.target(),
              files,
              1 << 20,
              Runnable::run,
              id -> true,
              new Checkpoints(files, Duration.ZERO, false),
              1,
              Duration.ZERO,
              world);
      verification.run(removes ? Optional.of(world.removals()) : Optional.empty(), removes);
      Files.delete(files);
      return verification;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> expired(LiveVerification verification) {
    return verification.cases().stream()
        .filter(one -> one.kind() == Kind.EXPIRED_TOMBSTONE)
        .map(Case::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Property(tries = 10)
  void reportsNoTombstoneThatTheSinkStillHasToRemove(@ForAll(supplier = Seeds.class) long seed) {
    AgedRows world = world(seed, AgedRows.RETENTION);
    world.run(BEFORE);

    LiveVerification verification = verify(world, false);

    assertThat(verification.cases()).isEmpty();
    assertThat(verification.counts().tombstones().expired()).isZero();
  }

  /** The sink looks for old ones once a day only. */
  @Example
  void reportsTombstonesAsExpiredWhenNoTimeIsLeftForTheirRemoval() {
    long expired = 0;
    for (int seed = 0; seed < WORLDS; seed++) {
      AgedRows world = world(seed, AgedRows.RETENTION, Duration.ZERO);
      world.run(BEFORE);
      expired += verify(world, false).counts().tombstones().expired();
    }
    assertThat(expired).isPositive();
  }

  @Property(tries = 10)
  void findsEveryTombstoneThatOutlivedItsRetention(@ForAll(supplier = Seeds.class) long seed) {
    AgedRows world = world(seed, AgedRows.RETENTION);
    world.run(BEFORE / 2);
    world.leaveOldTombstones();
    world.run(BEFORE);
    world.settle();
    Set<String> overdue = world.overdue();

    LiveVerification verification = verify(world, false);

    assertThat(expired(verification)).isEqualTo(overdue);
    assertThat(verification.counts())
        .isEqualTo(
            new Counts(
                world.rows().size() + world.tombstones().size(),
                world.rows().size(),
                0,
                0,
                0,
                Counts.NONE.unexpected(),
                new Tombstones(world.tombstones().size(), overdue.size(), 0),
                0,
                0,
                0));
  }

  /** With a sink that may keep them for longer than the verification knows. */
  @Property(tries = 10)
  void removesOnlyWhatTheSinkKeepsNoMore(@ForAll(supplier = Seeds.class) long seed) {
    Duration sinkRetention = AgedRows.RETENTION.plusDays(new Random(seed).nextInt(3) * 8L);
    AgedRows world = world(seed, sinkRetention);
    world.leaveOldTombstones();
    world.run(BEFORE);
    world.settle();
    Map<String, JsonNode> rows = world.rows();
    Set<String> before = new TreeSet<>(world.tombstones().keySet());
    Set<String> overdue = world.overdue();

    LiveVerification verification = verify(world, true);

    Set<String> after = world.tombstones().keySet();
    assertThat(expired(verification)).isEqualTo(overdue);
    assertThat(world.rows()).isEqualTo(rows);
    Set<String> gone = new TreeSet<>(before);
    gone.removeAll(after);
    Set<String> found = new TreeSet<>(overdue);
    found.retainAll(gone);
    assertThat(verification.counts().tombstones().removed()).isEqualTo(found.size());
    assertThat(repaired(verification)).isEqualTo(found);
    if (sinkRetention.equals(AgedRows.RETENTION)) {
      assertThat(found).isEqualTo(overdue);
    }
    assertThat(verification.counts().wrong()).isZero();
  }

  private static Set<String> repaired(LiveVerification verification) {
    return verification.cases().stream()
        .filter(Case::repaired)
        .map(Case::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Property(tries = 10)
  void makesNoRowWrongWhileItRemoves(@ForAll(supplier = Seeds.class) long seed) {
    AgedRows world = world(seed, AgedRows.RETENTION);
    world.leaveOldTombstones();
    world.run(BEFORE);

    LiveVerification verification = verify(world, true);
    world.settle();

    assertThat(verification.counts().wrong()).isZero();
    assertThat(verification.counts().unexpected().total()).isZero();
    LiveVerification atRest = verify(world, false);
    assertThat(atRest.counts().wrong()).isZero();
    assertThat(atRest.counts().right()).isEqualTo(world.rows().size());
    assertThat(List.copyOf(expired(atRest))).isEqualTo(List.copyOf(world.overdue()));
  }
}
