package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.row.HostileRows;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.layout.LayoutException;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** Whatever lies on a view topic: it is a row of the store, or the session rejects it. */
class MalformedRowsPropertyTest {
  private static final long MAX_BYTES = 64L << 20;
  private static final int MAX_VALUE_BYTES = 1 << 20;
  private static final String KEY = "key: [%s]\ntarget: kv\n";
  private static final String INCLUDE =
      "include: [maybe, small, flag, level, price, photo, notes, inner, node, alarm]\n";

  private final List<HostileRows> views =
      List.of(
          new HostileRows(KEY.formatted("text, count")),
          new HostileRows(
              KEY.formatted("ratio, born, level")
                  + INCLUDE.replace("photo", "photo, tags").replace("level, ", "")
                  + "layout: key-value\nshardKey: 1\n"),
          new HostileRows(KEY.formatted("seen, tags") + INCLUDE + "layout: key-value\n"),
          new HostileRows(KEY.formatted("maybe, small") + "layout: list\nnulls: index\n"));

  @Property(tries = 1_500)
  void isARowOrIsRejected(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    HostileRows view = views.get(random.nextInt(views.size()));
    WriteMode mode = WriteMode.values()[random.nextInt(WriteMode.values().length)];

    try {
      KvRowWrite write =
          Bounded.read(
              MAX_BYTES, () -> new RowMapper(mode, MAX_VALUE_BYTES).map(view.next(random)));
      assertThat(write).isNotNull();
    } catch (DataException
        | LayoutException
        | KvStoreException.Refused
        | IllegalArgumentException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  /** What no sink could take is refused where it is derived: there it counts against the view. */
  @Property(tries = 500)
  void takesWhateverIsDerived(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    HostileRows view = views.get(random.nextInt(views.size()));

    for (SinkRecord row : view.derived(random)) {
      assertThat(new RowMapper(WriteMode.OVERWRITE, MAX_VALUE_BYTES).map(row)).isNotNull();
    }
  }
}
