package io.indexview.benchmarks.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.derive.DeriveBenchmark.EventFeed;
import io.indexview.benchmarks.derive.SharedDerivation.RowSink;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DerivationsTest {
  private static final int VIEWS = 20;

  /** What is compared must do the same. */
  @Test
  void leadToTheSameRows() {
    SchemaRegistry registry = new InMemorySchemaRegistry();
    List<ViewGeneration> views = BenchViews.forDeriving(VIEWS);
    Standing ours = new Standing();
    Standing theirs = new Standing();
    SharedDerivation shared = new SharedDerivation(registry, views, ours);
    List<NaiveView> naive =
        views.stream().map(view -> new NaiveView(registry, view, theirs)).toList();
    EventFeed feed = new EventFeed(registry, 20, 8);

    for (int i = 0; i < feed.size() * 2; i++) {
      ChangeRecord event = feed.next();
      shared.process(event);
      naive.forEach(view -> view.process(event));
    }

    assertThat(ours.keys).isEqualTo(theirs.keys).hasSizeGreaterThan(20 * VIEWS);
    assertThat(ours.rows).isLessThan(theirs.rows);
  }

  /** The keys that stand. */
  private static final class Standing implements RowSink {
    private final Set<ByteBuffer> keys = new HashSet<>();
    private int rows;

    @Override
    public void row(byte[] key, byte[] value) {
      rows++;
      if (value == null) {
        assertThat(keys.remove(ByteBuffer.wrap(key))).isTrue();
      } else {
        keys.add(ByteBuffer.wrap(key));
      }
    }
  }
}
