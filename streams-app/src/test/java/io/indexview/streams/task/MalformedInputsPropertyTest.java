package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.task.TaskWorld.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Whatever lies on a change topic, and beside what a task reads of control topics: the task goes
 * on, and derives what is valid.
 */
class MalformedInputsPropertyTest {
  private static final int INPUTS = 10;
  private static final long MAX_BYTES = 512L << 20;
  private static final String VALID = "/p/valid";
  private static final String LOGGERS = "io.indexview.streams";
  private static final Schema NODE =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Envelope", "fields": [
                {"name": "op", "type": "string"},
                {"name": "after", "type": ["null", {"type": "record", "name": "Person", "namespace": "test",
                  "fields": [{"name": "name", "type": "string"}, {"name": "next", "type": ["null", "Person"]}]}]}]}
              """);

  private static Level level;

  /** A line each is right, and here too much. */
  @BeforeContainer
  static void silence() {
    level = LogManager.getLogger(LOGGERS).getLevel();
    Configurator.setLevel(LOGGERS, Level.OFF);
  }

  @AfterContainer
  static void speak() {
    Configurator.setLevel(LOGGERS, level);
  }

  @Property(tries = 120)
  void malformedInputsHoldUpNoView(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    TaskWorld world = Bounded.read(MAX_BYTES, () -> run(seed));

    assertThat(world.logged(Row.class))
        .filteredOn(Row::byEvent)
        .extracting(row -> row.generation().view())
        .contains("by-org", "by-tag-and-age");
    assertThat(world.logged(DeadLetterReason.class))
        // An event that is readable may fail in each view by itself.
        .hasSizeLessThanOrEqualTo(INPUTS * world.generations.size())
        .allSatisfy(problem -> assertThat(problem.reason()).isNotBlank());
  }

  private static TaskWorld run(long seed) {
    TaskWorld world = new TaskWorld();
    Random random = new Random(seed);
    Mutator mutator = new Mutator(random);
    world.publish(world.people.published(People.generation(People.BY_ORG)));
    world.publish(world.people.published(People.generation(People.BY_TAG_AND_AGE)));
    world.settle();
    byte[][] events = events(world);
    byte[][] keys = keys(world);
    Map<String, byte[]> states = states(world);
    List<byte[]> published = new ArrayList<>(world.generations.values());
    for (int i = 0; i < INPUTS; i++) {
      byte[] key = random.nextInt(12) == 0 ? null : mutator.bytes(keys);
      world.event(key, random.nextInt(12) == 0 ? null : mutator.bytes(events));
      if (random.nextInt(3) == 0) {
        world.generations.put(
            mutator.text("by-org|2", "other|1"), mutator.bytes(published.toArray(byte[][]::new)));
        world.sourceStates.put(
            mutator.text(states.keySet().toArray(String[]::new)),
            mutator.bytes(states.values().toArray(byte[][]::new)));
      }
      if (random.nextInt(4) == 0) {
        world.settle();
      }
    }
    world.settle();
    world.log.removeIf(Row.class::isInstance);
    world.event(VALID, Op.UPDATE, 1, person("Ann", "Support", 30, "red"));
    world.settle();
    return world;
  }

  private static byte[][] events(TaskWorld world) {
    GenericRecord ann = person("Ann", "Support", 30, "red", "blue");
    Origin read =
        new Origin.SnapshotRead(
            "s1", new byte[8], Origin.Base.of(People.version("s1", 2), false), true);
    Schema person = NODE.getField("after").schema().getTypes().get(1);
    GenericRecord inner = new GenericData.Record(person);
    inner.put("name", "Bob");
    GenericRecord outer = new GenericData.Record(person);
    outer.put("name", "Ann");
    outer.put("next", inner);
    GenericRecord node = new GenericData.Record(NODE);
    node.put("op", "c");
    node.put("after", outer);
    return new byte[][] {
      world.people.upsert(7, ann),
      world.people.event(Op.READ, read, ann),
      world.people.delete(8),
      world.people.truncate(),
      new AvroSerializer<GenericRecord>(world.registry, false).serialize("nodes", node)
    };
  }

  private static byte[][] keys(TaskWorld world) {
    GenericRecord key = person("Ann", "Support", 30);
    return new byte[][] {
      "/p/1".getBytes(StandardCharsets.UTF_8),
      "/p/2".getBytes(StandardCharsets.UTF_8),
      new AvroSerializer<GenericRecord>(world.registry, true).serialize("keys", key)
    };
  }

  private static Map<String, byte[]> states(TaskWorld world) {
    world.adHocSnapshot("source", "0", 1, world.nowMs, 0, 5);
    Map<String, byte[]> states = new TreeMap<>(world.sourceStates);
    world.sourceStates.clear();
    return states;
  }
}
