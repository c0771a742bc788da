package io.indexview.connect.dynamodb.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.row.RowVersion;
import io.indexview.connect.dynamodb.SteppingClock;
import io.indexview.connect.dynamodb.write.RowWrite.RowKey;
import io.indexview.dynamodb.WriteCondition;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.dynamodb.WriteCondition.PairFence;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Histories of one partition: changes of few rows, delivered again and again to tasks of which some
 * do not know that they are no longer meant, on a store that answers in any order and fails in all
 * its ways. What the topic holds last is what the table must hold in the end.
 */
class RowWriterPropertyTest {
  private static final int STEPS = 150;
  private static final int ROWS = 3;

  @Property(tries = 200)
  void endsWithTheNewestRowsThoughZombiesWrite(@ForAll(supplier = Seeds.class) long seed) {
    new History(seed, true, false).run();
  }

  /** A new generation begins now and then, with revisions that the one before had, too. */
  @Property(tries = 200)
  void endsWithTheNewestGenerationsRowsWhereTheyShareATable(
      @ForAll(supplier = Seeds.class) long seed) {
    new History(seed, true, true).run();
  }

  /** Without conditions there is no help against zombies, nor against what arrives late. */
  @Property(tries = 200)
  void endsWithTheNewestRowsInBatches(@ForAll(supplier = Seeds.class) long seed) {
    new History(seed, false, false).run();
  }

  private record Change(long offset, String id, RowVersion version, boolean delete) {}

  private static final class History {
    private final Random random;
    private final boolean conditional;
    private final boolean inPlace;
    private final Map<Map<String, ?>, Map<String, Object>> items = new HashMap<>();
    private final List<Change> topic = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private Task owner;
    private int generation = 1;
    private long revision = 1;

    private History(long seed, boolean conditional, boolean inPlace) {
      this.random = new Random(seed);
      this.conditional = conditional;
      this.inPlace = inPlace;
      this.owner = new Task(0);
    }

    private void run() {
      for (int step = 0; step < STEPS; step++) {
        step(random.nextInt(12));
      }
      while (owner.position < topic.size()) {
        owner.consume();
      }
      tasks.forEach(Task::finish);

      assertThat(owner.committed()).isEqualTo(topic.size());
      for (int row = 0; row < ROWS; row++) {
        assertNewest("row" + row);
      }
    }

    private void step(int kind) {
      Task any = tasks.get(random.nextInt(tasks.size()));
      switch (kind) {
        case 0, 1, 2 -> change();
        case 3, 4 -> owner.consume();
        case 5, 6 -> any.writer.run();
        case 7, 8 -> any.store.answerOne(true);
        case 9 -> any.store.answerOne(false);
        case 10 -> any.store.applyLate();
        default -> handOver();
      }
    }

    private void change() {
      if (inPlace && random.nextInt(8) == 0) {
        generation++;
      } else {
        revision++;
      }
      topic.add(
          new Change(
              topic.size(),
              "row" + random.nextInt(ROWS),
              new RowVersion(generation, revision),
              random.nextInt(3) == 0));
    }

    private void handOver() {
      if (random.nextInt(4) > 0) {
        return;
      }
      boolean reported = !conditional || random.nextBoolean();
      if (reported) {
        owner.giveUp();
      }
      owner = new Task(owner.committed());
    }

    private void assertNewest(String id) {
      Change newest =
          topic.stream()
              .filter(change -> change.id().equals(id))
              .reduce((one, other) -> other)
              .orElse(null);
      Map<String, Object> item = items.get(Map.of("id", id));
      if (newest == null || (newest.delete() && !conditional)) {
        assertThat(item).isNull();
        return;
      }
      assertThat(item)
          .as("%s of %s", newest, topic)
          .containsEntry("revision", BigDecimal.valueOf(newest.version().revision()))
          .containsEntry("gen", BigDecimal.valueOf(newest.version().generation()))
          .containsEntry("deleted", newest.delete());
    }

    private RowWrite write(Change change) {
      Map<String, Object> item =
          Map.of(
              "id",
              change.id(),
              "revision",
              change.version().revision(),
              "gen",
              change.version().generation(),
              "deleted",
              change.delete());
      RowKey key = new RowKey("t", Map.of("id", change.id()));
      SinkRecord record = new SinkRecord("topic", 0, null, null, null, null, change.offset());
      return change.delete()
          ? RowWrite.delete(record, key, item, change.version(), fence(change.version()))
          : RowWrite.upsert(record, key, item, change.version(), fence(change.version()));
    }

    private WriteCondition fence(RowVersion version) {
      Fence fence = new Fence("revision", version.revision());
      return inPlace ? new PairFence(new Fence("gen", version.generation()), fence) : fence;
    }

    /** A task, from its first record on. */
    private final class Task implements RowWriter.Settled {
      private final SteppedItemStore store = new SteppedItemStore(items, random);
      private final TreeSet<Long> unsettled = new TreeSet<>();
      private final RowWriter writer;
      private int position;

      private Task(long position) {
        this.position = (int) position;
        SteppingClock clock = new SteppingClock();
        TableLimiters limiters =
            new TableLimiters(
                1 + random.nextInt(3),
                0,
                () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(5)),
                clock,
                TableLimiters.Listener.NONE);
        this.writer =
            conditional
                ? RowWriter.conditional(store, limiters, clock, this)
                : RowWriter.batch(store, limiters, clock, this);
        tasks.add(this);
      }

      private void consume() {
        if (position < topic.size()) {
          Change change = topic.get(position++);
          unsettled.add(change.offset());
          writer.add(write(change));
        }
      }

      private long committed() {
        writer.settle();
        return unsettled.isEmpty() ? position : unsettled.first();
      }

      private void giveUp() {
        while (!store.isIdle()) {
          store.answerOne(random.nextBoolean());
        }
        try {
          writer.revoke(write -> true, Duration.ofSeconds(10));
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      private void finish() {
        do {
          writer.run();
          store.answerOne(true);
          store.applyLate();
          writer.settle();
        } while (!store.isIdle() || store.hasLate() || writer.hasUnsent());
      }

      @Override
      public void applied(RowWrite write) {
        write.forEachRecord(record -> assertThat(unsettled.remove(record.kafkaOffset())).isTrue());
      }

      @Override
      public void rejected(RowWrite write, String reason, Throwable cause) {
        throw new AssertionError(reason, cause);
      }

      @Override
      public Optional<String> tableMissing(RowWrite write) {
        throw new AssertionError("there is always a table");
      }
    }
  }
}
