package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.json.JsonEventReader;
import io.indexview.schemas.control.EventsLost;
import io.indexview.streams.People;
import io.indexview.streams.task.WorldTopic.Fate;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The encoding of a record set decides which keys its records have. */
class EncodingTest {
  private final TaskWorld world = new TaskWorld();

  private void readJson() {
    world.reader =
        new JsonEventReader(
            world.registry, People.TOPIC, RecordFormat.ENVELOPE, Optional.of(People.SCHEMA));
    world.crash();
  }

  @Test
  void tellsOnceThatItIsAnotherOneThanThatOfTheRecords() {
    world.event("7", Op.CREATE, 1, person("Ann", "A", 30));
    world.processAll();
    world.settle();

    readJson();
    world.settle();
    world.crash();
    world.settle();

    assertThat(world.logged(EventsLost.class))
        .singleElement()
        .satisfies(
            lost ->
                assertThat(lost.reason())
                    .contains("from avro to json", "a record set of another name"));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void mayBeAnyWhereNoRecordCame() {
    world.settle();
    readJson();
    // The state is empty until the first event, whatever comes before the first poll.
    world.topic.add(utf8("{\"id\":7}"), utf8("{\"op\":\"c\",\"after\":{}}"), 1, Fate.NORMAL);
    world.processAll();
    assertThat(world.entry("7").unreadable()).isTrue();
    world.settle();
    world.crash();
    world.settle();

    assertThat(world.logged(EventsLost.class)).isEmpty();
  }
}
