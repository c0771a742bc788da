package io.indexview.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.admin.PublishedValues.ValuesUnknownException;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.control.StoredValues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;

class PublishedValuesTest {
  private static final String TOPIC = "indexview.changes.people";
  private static final Schema PERSON =
      SchemaBuilder.record("Person").fields().requiredString("name").endRecord();
  private static final StoredValues JSON = ValueConfig.of(ValueFormat.JSON, PERSON).published();

  private final List<SourceStatus> sources = new ArrayList<>();
  private final PublishedValues values = new PublishedValues(() -> List.copyOf(sources));

  private void say(String source, String topic, StoredValues said) {
    sources.add(
        new SourceStatus(
            source,
            topic,
            1,
            0,
            Instant.EPOCH,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.ofNullable(said),
            Optional.empty()));
  }

  private void assertUnknown(String why) {
    assertThatExceptionOfType(ValuesUnknownException.class)
        .isThrownBy(() -> values.of(TOPIC))
        .withMessageContaining(why);
  }

  @Test
  void areUnknownUntilASourceOfTheTopicSaysThem() {
    assertUnknown("no KV store source says how it reads the records of topic " + TOPIC);
    say("bucket", TOPIC, null);
    say(
        "elsewhere",
        "indexview.changes.orders",
        ValueConfig.of(ValueFormat.AVRO, PERSON).published());
    assertUnknown("start the one that scans them");
  }

  @Test
  void areThoseOfTheSourcesAndTheSameInstanceAsLongAsTheyAreTheSame() {
    assertUnknown("no KV store source");
    say("store", TOPIC, JSON);
    say("store-2", TOPIC, new StoredValues("json", PERSON.toString(), Map.of()));

    ValueConfig known = values.of(TOPIC);

    assertThat(known).isEqualTo(ValueConfig.of(ValueFormat.JSON, PERSON));
    assertThat(values.of(TOPIC)).isSameAs(known);
  }

  @Test
  void areUnknownWhenSourcesSayDifferentThings() {
    say("store", TOPIC, JSON);
    say("store-2", TOPIC, ValueConfig.of(ValueFormat.AVRO, PERSON).published());

    assertUnknown("sources store (json) and store-2 (avro) of topic " + TOPIC);
  }

  @Test
  void areUnknownWhenTheyAreNotUnderstood() {
    say("store", TOPIC, new StoredValues("protobuf", PERSON.toString(), Map.of()));

    assertUnknown("the value format protobuf is unknown; is it of a newer release?");
  }
}
