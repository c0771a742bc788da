package io.indexview.connect.common.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.RowHeaders;
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
    record.headers().addInt(RowHeaders.GENERATION, 2).addString("x", "y");
    record.headers().addString(RowHeaders.REVISION, "1700000000000");
    assertThat(RowVersion.of(record)).isEqualTo(new RowVersion(2, 1_700_000_000_000L));

    SinkRecord bytes = record(Schema.STRING_SCHEMA);
    bytes.headers().addBytes(RowHeaders.GENERATION, new byte[] {'3'});
    bytes.headers().addLong(RowHeaders.REVISION, 7);
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
        .hasMessageContaining(RowHeaders.GENERATION + " is missing");
    record.headers().addInt(RowHeaders.GENERATION, 1);
    record.headers().addString(RowHeaders.REVISION, "soon");
    assertThatThrownBy(() -> RowVersion.of(record))
        .hasMessageContaining(RowHeaders.REVISION)
        .hasMessageNotContaining("soon");
  }

  private static SinkRecord record(Schema keySchema) {
    return new SinkRecord("indexview.view.kv.by-org.1", 0, keySchema, null, null, null, 5);
  }
}
