package io.indexview.connect.common.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.definition.ViewGeneration;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class GenerationCacheTest {
  private final GenerationCache<String> cache = new GenerationCache<>(ViewGeneration::view);

  @Test
  void saysWhichConverterItNeedsWhenTheKeySchemaCarriesNoGeneration() {
    assertThatThrownBy(() -> cache.of(record(Schema.STRING_SCHEMA)))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("indexview.view.kv.by-org.1")
        .hasMessageContaining("AvroConverter");
    assertThatThrownBy(() -> cache.of(record(null))).isInstanceOf(DataException.class);
  }

  @Test
  void readsVersionsFromEveryKindOfHeader() {
    SinkRecord record = record(Schema.STRING_SCHEMA);
    record.headers().addInt(RowVersion.GENERATION_HEADER, 2).addString("x", "y");
    record.headers().addString(RowVersion.REVISION_HEADER, "1700000000000");
    assertThat(RowVersion.of(record)).isEqualTo(new RowVersion(2, 1_700_000_000_000L));

    SinkRecord bytes = record(Schema.STRING_SCHEMA);
    bytes.headers().addBytes(RowVersion.GENERATION_HEADER, new byte[] {'3'});
    bytes.headers().addLong(RowVersion.REVISION_HEADER, 7);
    assertThat(RowVersion.of(bytes)).isEqualTo(new RowVersion(3, 7));
  }

  @Test
  void comparesGenerationsFirst() {
    assertThat(new RowVersion(2, 1)).isGreaterThan(new RowVersion(1, 9));
    assertThat(new RowVersion(1, 9)).isGreaterThan(new RowVersion(1, 8));
  }

  @Test
  void namesTheHeaderThatIsMissingOrNoNumber() {
    SinkRecord record = record(SchemaBuilder.int8().build());
    assertThatThrownBy(() -> RowVersion.of(record))
        .hasMessageContaining(RowVersion.GENERATION_HEADER + " is missing");
    record.headers().addInt(RowVersion.GENERATION_HEADER, 1);
    record.headers().addString(RowVersion.REVISION_HEADER, "soon");
    assertThatThrownBy(() -> RowVersion.of(record))
        .hasMessageContaining(RowVersion.REVISION_HEADER)
        .hasMessageNotContaining("soon");
  }

  private static SinkRecord record(Schema keySchema) {
    return new SinkRecord("indexview.view.kv.by-org.1", 0, keySchema, null, null, null, 5);
  }
}
