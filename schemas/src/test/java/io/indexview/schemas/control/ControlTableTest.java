package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class ControlTableTest {
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final InMemoryTopic topic = new InMemoryTopic("requests");
  private final AtomicBoolean broken = new AtomicBoolean();
  private final ControlTable<SourceRequest> table =
      new ControlTable<>(
          "requests",
          topic.consumer(),
          new AvroDeserializer(registry, ControlSchemas.SOURCE_REQUEST),
          record -> {
            if (broken.get()) {
              throw new RegistryException.Unavailable("down", null);
            }
            return SourceRequest.of(record);
          });

  private void append(String key, long number) {
    topic.append(key, new SourceRequest(key, number, 1).toAvro(), registry);
  }

  @Test
  void keepsTheNewestOfEachKeyWithoutThoseRemoved() {
    append("a", 1);
    append("b", 1);
    assertThat(table.refresh()).containsOnlyKeys("a", "b");

    append("a", 2);
    topic.append("b", null, registry);
    assertThat(table.refresh()).containsOnlyKeys("a");
    assertThat(table.refresh().get("a").number()).isEqualTo(2);
  }

  @Test
  void readsAnotherTopicOfTheNameFromItsStart() {
    append("a", 1);
    append("b", 1);
    append("c", 1);
    assertThat(table.refresh()).containsOnlyKeys("a", "b", "c");

    topic.recreate();
    assertThat(table.refresh()).isEmpty();
    append("b", 2);
    assertThat(table.refresh()).containsOnlyKeys("b");
  }

  @Test
  void readsAnotherTopicThatIsLongerThanTheOneBeforeIfItIsToldTo() {
    append("a", 1);
    assertThat(table.refresh()).containsOnlyKeys("a");

    topic.recreate();
    append("b", 1);
    append("c", 1);
    table.readAnew();
    assertThat(table.refresh()).containsOnlyKeys("b", "c");
  }

  @Test
  void readsKeysThatAreAvroStrings() {
    byte[] key =
        new MessageWriter(registry, true)
            .write("requests", Schema.create(Schema.Type.STRING), "a".repeat(100));
    byte[] value =
        new MessageWriter(registry, false)
            .write(
                "requests", ControlSchemas.SOURCE_REQUEST, new SourceRequest("a", 1, 1).toAvro());
    topic.append(key, value);

    assertThat(table.refresh()).containsOnlyKeys("a".repeat(100));
  }

  @Test
  void losesNothingWhenItFailsInTheMiddle() {
    append("a", 1);
    assertThat(table.refresh()).containsOnlyKeys("a");

    append("b", 1);
    append("c", 1);
    broken.set(true);
    assertThatThrownBy(table::refresh).isInstanceOf(RegistryException.class);
    broken.set(false);
    assertThat(table.refresh()).containsOnlyKeys("a", "b", "c");
  }

  @Test
  void ignoresValuesThatNobodyCanRead() {
    append("a", 1);
    append("b", 1);
    append("c", 1);
    topic.append(text("a"), new byte[] {1, 2, 3});
    topic.append(text("b"), new byte[] {0, 0, 0, 99, 99, 1});

    assertThat(table.refresh()).containsOnlyKeys("c");
    append("a", 2);
    assertThat(table.refresh()).containsOnlyKeys("a", "c");
  }

  @Test
  void ignoresRecordsOfTheRightSchemaThatSayNothingPossible() {
    ControlTable<SourceRequest> strict =
        new ControlTable<>(
            "requests",
            topic.consumer(),
            new AvroDeserializer(registry, ControlSchemas.SOURCE_REQUEST),
            record -> {
              SourceRequest request = SourceRequest.of(record);
              if (request.number() < 0) {
                throw new IllegalArgumentException("number: -1");
              }
              return request;
            });
    append("a", 1);
    append("a", -1);
    append("b", 1);

    assertThat(strict.refresh()).containsOnlyKeys("b");
  }

  @Test
  void saysWhichFieldOfARecordIsOfANewerRelease() {
    GenericRecord newer = new SourceRequest("a", 1, 1).toAvro();
    newer.put("kind", "pause");
    topic.append("a", newer, registry);

    try (LogLines log = LogLines.warnings(ControlTable.class)) {
      assertThat(table.refresh()).isEmpty();
      assertThat(log.get())
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith(
              "Control record requests-0@0 is ignored: its value cannot be read: field \"kind\" is \"pause\", which this release does not know; upgrade this process");
    }
  }

  @Test
  void ignoresRecordsThatAreNestedTooDeeply() {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "SourceRequestRecord", "namespace": "%s", "fields": [
                  {"name": "next", "type": ["null", "SourceRequestRecord"]},
                  {"name": "topic", "type": "string"}, {"name": "number", "type": "long"},
                  {"name": "requestedAt", "type": "long"}]}
                """
                    .formatted(ControlSchemas.SOURCE_REQUEST.getNamespace()));
    byte[] deep = new byte[1 << 20];
    Arrays.fill(deep, (byte) 2);
    topic.append(text("deep"), WireFormat.frame(registry.register("nodes-value", node), deep));
    append("a", 1);

    assertThat(table.refresh()).containsOnlyKeys("a");
  }

  @Test
  void ignoresKeysThatAreNone() {
    byte[] value =
        new MessageWriter(registry, false)
            .write(
                "requests", ControlSchemas.SOURCE_REQUEST, new SourceRequest("a", 1, 1).toAvro());
    topic.append((byte[]) null, value);
    topic.append(new byte[] {0, 0, 0, 0, 1}, value);
    topic.append(new byte[] {0, 0, 0, 0, 1, -1}, value);
    topic.append(new byte[] {0, 0, 0, 0, 1, 1, 'a'}, value);
    topic.append(new byte[] {0, 0, 0, 0, 1, 20, 'a'}, value);
    append("b", 1);

    assertThat(table.refresh()).containsOnlyKeys("b");
  }

  @Test
  void failsWhenTheRegistryRefusesToTellASchema() {
    SchemaRegistry refusing = FailingRegistry.with(new RegistryException("HTTP 403", null));
    ControlTable<SourceRequest> blind =
        new ControlTable<>(
            "requests",
            topic.consumer(),
            new AvroDeserializer(refusing, ControlSchemas.SOURCE_REQUEST),
            SourceRequest::of);
    append("a", 1);

    assertThatThrownBy(blind::refresh).isInstanceOf(RegistryException.class);
  }

  @Test
  void ignoresValuesOfASchemaThatIsNoAvro() {
    SchemaRegistry other = FailingRegistry.with(new RegistryException.Rejected("PROTOBUF", null));
    ControlTable<SourceRequest> strict =
        new ControlTable<>(
            "requests",
            topic.consumer(),
            new AvroDeserializer(other, ControlSchemas.SOURCE_REQUEST),
            SourceRequest::of);
    append("a", 1);

    assertThat(strict.refresh()).isEmpty();
  }

  private static byte[] text(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
