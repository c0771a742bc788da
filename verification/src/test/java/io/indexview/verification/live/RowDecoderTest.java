package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.verification.KvRows;
import io.indexview.verification.RowContent;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class RowDecoderTest {
  static final int KEY_SCHEMA = 1;
  private static final int VALUE_SCHEMA = 2;
  private static final long REVISION = 7;
  private static final Schema PERSON =
      SchemaBuilder.record("Person").fields().requiredString("org").endRecord();
  static final ViewGeneration BY_ORG =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse("by-org.yaml", "{name: by-org, source: people, key: [org], target: kv}"),
          1,
          new RecordSet("people", "people", RecordFormat.ENVELOPE, List.of(), PERSON),
          new Topics("test"));

  private final RowDecoder decoder =
      new RowDecoder(BY_ORG, KEY_SCHEMA, new KvRows(/* store= */ null, BY_ORG));
  private final List<Optional<RowContent>> rows = new ArrayList<>();

  /** A row of {@link #BY_ORG}. */
  static ConsumerRecord<byte[], byte[]> message(
      String primaryKey, TopicPartition partition, long offset, Headers headers)
      throws DerivationException {
    ViewRow row =
        CompiledView.compile(BY_ORG, PERSON)
            .rows(new GenericRecordBuilder(PERSON).set("org", "Support").build(), primaryKey)
            .get(0);
    return new ConsumerRecord<>(
        partition.topic(),
        partition.partition(),
        offset,
        0,
        TimestampType.CREATE_TIME,
        0,
        0,
        row.key(KEY_SCHEMA),
        row.value(VALUE_SCHEMA, REVISION),
        headers,
        Optional.empty());
  }

  private void decode(Headers headers) throws DerivationException {
    decoder.decode(
        message("/p/1", new TopicPartition("rows", 3), 42, headers),
        (id, content) -> rows.add(content));
  }

  @Test
  void passesARowOn() throws DerivationException {
    decode(new RowHeaders().of(REVISION, 1));

    assertThat(rows)
        .singleElement()
        .satisfies(row -> assertThat(row.orElseThrow().primaryKey()).isEqualTo("/p/1"));
  }

  @Test
  void refusesARowWithoutRevision() {
    assertThatThrownBy(() -> decode(new RecordHeaders()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "record rows-3@42 has no header indexview.revision: the streams app did not write it");
  }

  @Test
  void refusesARowWhoseRevisionIsNoNumber() {
    Headers headers =
        new RecordHeaders().add(RowHeaders.REVISION, "soon".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> decode(headers))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "record rows-3@42 has \"soon\" in header indexview.revision, which is no number: the streams app did not write it");
  }
}
