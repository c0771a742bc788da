package io.indexview.benchmarks.derive;

import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.derive.SharedDerivation.RowSink;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.avro.generic.GenericRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** One event: read, judged by the order guard, derived for all views, put out, saved. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DeriveBenchmark {
  private static final int PEOPLE = 1_000;
  private static final int CHANGES = 8;

  @Param({"1", "5", "20"})
  public int views;

  private EventFeed feed;
  private SharedDerivation shared;
  private List<NaiveView> naive;
  private MessageReader reader;

  @Setup
  public void prepare(Blackhole blackhole) {
    SchemaRegistry registry = new InMemorySchemaRegistry();
    RowSink sink =
        (key, value) -> {
          blackhole.consume(key);
          blackhole.consume(value);
        };
    List<ViewGeneration> generations = BenchViews.forDeriving(views);
    feed = new EventFeed(registry, PEOPLE, CHANGES);
    shared = new SharedDerivation(registry, generations, sink);
    naive = generations.stream().map(view -> new NaiveView(registry, view, sink)).toList();
    reader = new MessageReader(registry);
  }

  @Benchmark
  public void event() {
    shared.process(feed.next());
  }

  /** What each view costs that does everything for itself. */
  @Benchmark
  public void naiveEvent() {
    ChangeRecord event = feed.next();
    for (NaiveView view : naive) {
      view.process(event);
    }
  }

  /** What an event costs whoever only decodes it. */
  @Benchmark
  public Object decodeAlone() {
    return reader.read(People.TOPIC, feed.next().value()).value();
  }

  /**
   * Updates of people without end: each person in turn, then each once more, every event newer than
   * all before. The bytes of an event are used again for a later one, with another sequence in
   * them.
   */
  static final class EventFeed {
    /** A time around which nothing expires. */
    static final long NOW = 1_700_000_000_000L;

    /** A sequence that no other eight bytes of an event are. */
    private static final long MARK = 0x5EA1_C0DE_0DD5_EED5L;

    private final List<Template> templates = new ArrayList<>();
    private int next;
    private long sequence;

    /**
     * @param sequenceAt where in the value the sequence is
     */
    private record Template(byte[] key, byte[] value, int sequenceAt) {}

    /**
     * @param changes after which the people are what they were at first
     */
    EventFeed(SchemaRegistry registry, int people, int changes) {
      EnvelopeWriter envelopes =
          new EnvelopeWriter(
              People.SCHEMA, new EnvelopeWriter.SourceInfo("kvstore", "people-store", "1"));
      AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false);
      Origin versioned = new Origin.Versioned(new SourceVersion("1/rg1", bytes(MARK)));
      for (int change = 0; change < changes; change++) {
        for (int person = 0; person < people; person++) {
          GenericRecord after = People.person(person, change);
          byte[] value =
              serializer.serialize(
                  People.TOPIC, envelopes.write(Op.UPDATE, NOW, NOW, versioned, after));
          templates.add(
              new Template(
                  People.key(person).getBytes(StandardCharsets.UTF_8), value, indexOfMark(value)));
        }
      }
    }

    private static byte[] bytes(long number) {
      return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static int indexOfMark(byte[] value) {
      byte[] mark = bytes(MARK);
      for (int i = 0; i <= value.length - mark.length; i++) {
        if (Arrays.equals(value, i, i + mark.length, mark, 0, mark.length)) {
          return i;
        }
      }
      throw new IllegalStateException("the event does not hold its sequence as it is");
    }

    /** How many events there are before the people are what they were. */
    int size() {
      return templates.size();
    }

    /** The next event; good until it comes again. */
    ChangeRecord next() {
      Template template = templates.get(next);
      next = (next + 1) % templates.size();
      ByteBuffer.wrap(template.value()).putLong(template.sequenceAt(), ++sequence);
      return new ChangeRecord(People.TOPIC, 0, sequence, NOW, template.key(), template.value());
    }
  }
}
