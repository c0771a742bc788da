package io.indexview.streams.controller.actions;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.generation.RecordSetCatalog;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;

class RecordSetInfosTest {
  private static final RecordSetInfo PEOPLE = info("people", "indexview", People.SCHEMA);

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final Map<String, RecordSetInfo> published = new HashMap<>();

  private static RecordSetInfo info(String name, String application, Schema schema) {
    return new RecordSetInfo(
        name,
        People.TOPIC,
        2,
        "envelope",
        List.of(),
        schema.toString(),
        application,
        Set.of(),
        Set.of(),
        Installation.NOW_MS);
  }

  private void publish() {
    infos().publish();
    readBack();
  }

  private void scan() {
    all.advance(infos());
    readBack();
  }

  private RecordSetInfos infos() {
    return new RecordSetInfos(
        all.context(),
        new RecordSetCatalog(all.config().recordSets(), registry),
        () -> published,
        registry);
  }

  private void readBack() {
    AvroDeserializer deserializer = new AvroDeserializer(registry);
    all.log.written.forEach(
        sent -> {
          String name = new String(sent.key(), StandardCharsets.UTF_8);
          if (sent.value() == null) {
            published.remove(name);
          } else {
            published.put(
                name, RecordSetInfo.of(deserializer.deserialize(sent.topic(), sent.value())));
          }
        });
  }

  private void register(Schema schema) {
    registry.register(People.TOPIC + "-value", EnvelopeSchemas.envelope(schema));
  }

  @Test
  void publishesARecordSetOnce() {
    register(People.SCHEMA);
    publish();
    assertThat(published).containsOnly(Map.entry("people", PEOPLE));

    publish();
    assertThat(all.log.written).hasSize(1);
  }

  @Test
  void tellsWhichTargetsAreFenced() {
    register(People.SCHEMA);
    publish();
    all.set("target.kv.sink.mode", "conditional");
    publish();

    assertThat(published.get("people").fencedTargets()).containsExactly("kv");
    assertThat(published.get("people").connectTargets()).isEmpty();
  }

  @Test
  void tellsWhichTargetsGenericSinksServe() {
    register(People.SCHEMA);
    publish();
    all.set("connect.targets", "jdbc");
    publish();

    assertThat(published.get("people").connectTargets()).containsExactly("jdbc");
  }

  @Test
  void publishesNothingOfASetWhoseSchemaIsNotThereYet() {
    publish();

    assertThat(all.log.written).isEmpty();
  }

  @Test
  void publishesANewRecordSchema() {
    Schema first = SchemaBuilder.record("P").fields().requiredString("a").endRecord();
    Schema second =
        SchemaBuilder.record("P").fields().requiredString("a").optionalString("b").endRecord();
    register(first);
    publish();
    register(second);
    scan();

    assertThat(published.get("people").schema()).isEqualTo(second.toString());
  }

  @Test
  void takesBackASetThatIsNotConfiguredAnyMoreAndLeavesThoseOfOthers() {
    published.put("cars", info("cars", "indexview", People.SCHEMA));
    published.put("boats", info("boats", "other", People.SCHEMA));
    register(People.SCHEMA);
    scan();
    assertThat(published).containsOnlyKeys("people", "boats", "cars");

    publish();
    assertThat(published).containsOnlyKeys("people", "boats");
  }
}
