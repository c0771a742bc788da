package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.common.row.HostileRows;
import io.indexview.connect.dynamodb.write.RowWrite;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.LayoutException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** Whatever lies on a view topic: it is an item, or the gate rejects it. */
class MalformedRowsPropertyTest {
  private static final long MAX_BYTES = 64L << 20;
  private static final String INCLUDE =
      "include: [maybe, small, flag, level, price, photo, notes, inner, node, alarm]\n";

  private final List<HostileRows> views =
      List.of(
          new HostileRows("key: [text, count]\ntarget: dynamodb\n" + INCLUDE),
          new HostileRows("key: [ratio, born, level]\ntarget: dynamodb\nswap: in-place\n"),
          new HostileRows("key: [seen, tags]\ntarget: dynamodb\nshardKey: 1\n" + INCLUDE),
          new HostileRows(
              """
              kind: document
              key: [text]
              include: [count, ratio, maybe, tags, inner, notes, born, node, alarm]
              target: dynamodb
              indexes: [{name: by-maybe, partitionKey: maybe, sortKey: count}]
              """));

  @Property(tries = 1_500)
  void isAnItemOrIsRejected(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    HostileRows view = views.get(random.nextInt(views.size()));

    try {
      assertThat(Bounded.read(MAX_BYTES, () -> write(view.next(random)))).isNotNull();
    } catch (DataException | LayoutException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  /** What no sink could take is refused where it is derived: there it counts against the view. */
  @Property(tries = 500)
  void takesWhateverIsDerived(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    HostileRows view = views.get(random.nextInt(views.size()));

    for (SinkRecord row : view.derived(random)) {
      assertThat(write(row)).isNotNull();
    }
  }

  private static RowWrite write(SinkRecord row) {
    DynamoDbLayout layout = new GenerationCache<>(DynamoDbLayout::of).of(row);
    return new ViewTable(layout, Duration.ofDays(15), new ManualClock()).write(row);
  }
}
