package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.Requests.SourceRequests;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.InMemoryTopic;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SourceRequestsTest {
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final InMemoryTopic topic = new InMemoryTopic("requests");
  private final AtomicBoolean down = new AtomicBoolean();
  private final SourceRequests requests =
      new SourceRequests(
          new ControlTable<>(
              "requests",
              topic.consumer(),
              new AvroDeserializer(registry, ControlSchemas.SOURCE_REQUEST),
              record -> {
                if (down.get()) {
                  throw new RegistryException.Unavailable("down", null);
                }
                return SourceRequest.of(record);
              }));

  @AfterEach
  void close() {
    requests.close();
  }

  private void ask(String changes, long number) {
    topic.append(changes, new SourceRequest(changes, number, 1).toAvro(), registry);
  }

  @Test
  void tellsTheNewestRequestOfEachTopic() {
    requests.scan();
    assertThat(requests.newest("people")).isZero();

    ask("people", 3);
    ask("files", 1);
    ask("people", 4);
    requests.scan();

    assertThat(requests.newest("people")).isEqualTo(4);
    assertThat(requests.newest("files")).isEqualTo(1);
    assertThat(requests.newest("other")).isZero();
  }

  @Test
  void keepsWhatItKnowsWhileTheTopicCannotBeRead() {
    ask("people", 3);
    requests.scan();
    ask("people", 4);
    down.set(true);
    requests.scan();
    requests.scan();
    assertThat(requests.newest("people")).isEqualTo(3);

    down.set(false);
    requests.scan();
    assertThat(requests.newest("people")).isEqualTo(4);
  }
}
