package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.ViewSet;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowMakersTest {
  private static final int KEYS = 40;

  /** What is compared must do the same. */
  @ParameterizedTest
  @ValueSource(strings = {"2", "20", ViewSet.FILTER, ViewSet.ARRAY})
  void leadToTheSameRows(String views) {
    ViewSet set = new ViewSet(views);
    Entrant entrant = new Entrant(Entrant.Kind.PLAIN, "a", "", set, Map.of(), Path.of("state"));
    SchemaRegistry registry = PlainStreams.registry(entrant);
    AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false);
    RowMaker records = new RecordRows(entrant, registry);
    RowMaker slices = new SliceRows(entrant, registry);
    Map<ByteBuffer, byte[]> lastEvents = new HashMap<>();
    Set<ByteBuffer> kept = new HashSet<>();

    new Workload(KEYS, false, set)
        .run(
            2_000,
            event -> {
              byte[] key = People.key(event.person()).getBytes(StandardCharsets.UTF_8);
              byte[] after = serializer.serialize(entrant.changes(), event.after());
              byte[] before = lastEvents.put(ByteBuffer.wrap(key), after);
              List<String> expected = rows(records, key, before, after, event.sequence());
              assertThat(rows(slices, key, before, after, event.sequence()))
                  .containsExactlyInAnyOrderElementsOf(expected);
              if (!expected.isEmpty()) {
                kept.add(ByteBuffer.wrap(key));
              }
            });

    assertThat(kept.size()).isBetween(set.isFiltered() ? KEYS / 4 : KEYS, KEYS);
  }

  private static List<String> rows(
      RowMaker maker, byte[] key, byte[] before, byte[] after, long revision) {
    List<String> rows = new ArrayList<>();
    maker.derive(
        key,
        before,
        after,
        revision,
        (view, rowKey, rowValue) ->
            rows.add(
                "%d %s %s"
                    .formatted(
                        view,
                        HexFormat.of().formatHex(rowKey),
                        rowValue == null ? "gone" : HexFormat.of().formatHex(rowValue))));
    return rows;
  }
}
