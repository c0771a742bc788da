package io.indexview.client.read.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import java.util.List;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;

class KvBatchesTest {
  private static final ViewGeneration GENERATION =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse("test.yaml", "{name: v, source: people, key: [name], target: kv}"),
          1,
          new RecordSet(
              "people",
              "indexview.changes.people",
              RecordFormat.ENVELOPE,
              List.of(),
              SchemaBuilder.record("Person").fields().requiredString("name").endRecord()),
          new Topics(Topics.DEFAULT_PREFIX));
  private static final RowRequest PAGE = new RowRequest(null, null, null, 1_000, 8 << 20, false);

  /** What other pages meet meanwhile does not make the requests of this one large. */
  @Test
  void goesByTheLargestRecordsOfAPage() {
    KvBatches batches = new KvBatches(KvLayout.of(GENERATION));
    KvBatches.Page large = batches.page(PAGE);
    large.learn(0, 10, 10L * (900 << 10));
    batches.page(PAGE).learn(0, 30_000, 30_000L * 200);

    assertThat(large.further()).isLessThanOrEqualTo(12);
    assertThat(batches.page(PAGE).further()).isEqualTo(500);
  }
}
