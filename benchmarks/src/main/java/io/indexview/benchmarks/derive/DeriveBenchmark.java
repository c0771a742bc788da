package io.indexview.benchmarks.derive;

import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.derive.SharedDerivation.RowSink;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
}
