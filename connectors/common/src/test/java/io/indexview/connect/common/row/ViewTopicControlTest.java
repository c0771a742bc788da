package io.indexview.connect.common.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.views.definition.ViewGeneration;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class ViewTopicControlTest {
  private static final ViewGeneration GENERATION =
      ViewStates.generation("v", "key: [org]\ntarget: kv", 3);

  private final StateRecords records = new StateRecords();

  @Test
  void namesTheGeneration() {
    assertThat(ViewTopicControl.retired(records.removeRows(GENERATION, 7))).contains(GENERATION);
  }

  @Test
  void takesOtherRecordsForRows() {
    Schema schema = SchemaBuilder.struct().name("io.indexview.rows.v_v.RowKey").build();

    assertThat(ViewTopicControl.retired(record(schema, new Struct(schema)))).isEmpty();
    assertThat(ViewTopicControl.retired(record(null, "text"))).isEmpty();
    assertThat(ViewTopicControl.retired(record(Schema.STRING_SCHEMA, "text"))).isEmpty();
  }

  private static SinkRecord record(Schema schema, Object key) {
    return new SinkRecord("t", 0, schema, key, null, null, 0);
  }

  @Test
  void refusesCommandsAndGenerationsOfANewerRelease() {
    String topic = GENERATION.viewTopic();
    assertThatThrownBy(
            () ->
                ViewTopicControl.retired(
                    records.command("compress", topic, GENERATION.toJson(), 7)))
        .isInstanceOf(DataException.class)
        .hasMessageStartingWith(topic + "-0@7: command compress is not known")
        .hasMessageContaining("upgrade this connector");
    assertThatThrownBy(
            () -> ViewTopicControl.retired(records.command("remove-rows", topic, "{}", 8)))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("encodingVersion is missing");
  }
}
