package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.junit.jupiter.api.Test;

class EventSchemaTest {
  private static final String TOPIC = "indexview.changes.files";
  private static final String SUBJECT = TOPIC + "-value";
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final String scope = UUID.randomUUID().toString();
  private final InMemorySchemaRegistry registry = InMemorySchemaRegistry.shared(scope);
  private final ManualClock clock = new ManualClock();

  private EventSchema schema(SchemaRegistry in) {
    return new EventSchema(
        TOPIC,
        ControlSchemas.FILE_RECORD,
        in,
        new Backoff(PAUSE, PAUSE, () -> 0),
        clock,
        Runnable::run);
  }

  @Test
  void isTheOneThatTheConverterRegistersWithAnEvent() {
    schema(registry).register();
    SchemaAndValue event =
        new EnvelopeStructs(ControlSchemas.FILE_RECORD, "s3", "files")
            .event(Op.DELETE, 1, 1, Origin.Unordered.INSTANCE, null);

    try (AvroConverter converter = new AvroConverter()) {
      converter.configure(Map.of(RegistryConfig.URL_CONFIG, "mock://" + scope), false);
      converter.fromConnectData(TOPIC, event.schema(), event.value());
    }

    assertThat(registry.latest(SUBJECT).orElseThrow().version()).isOne();
  }

  @Test
  void isTriedAgainAfterAPauseUntilTheRegistryTakesIt() {
    AtomicInteger asked = new AtomicInteger();
    EventSchema schema = schema(refusingFirst(asked));

    schema.register();
    schema.register();
    schema.register();
    assertThat(asked).hasValue(1);
    assertThat(registry.latest(SUBJECT)).isEmpty();

    clock.setBack(Duration.ofHours(1));
    clock.pass(PAUSE);
    schema.register();
    schema.register();
    assertThat(asked).hasValue(2);
    assertThat(registry.latest(SUBJECT)).isPresent();
  }

  /** Of a registry that swallows what it is asked. */
  @Test
  void registersInTheBackground() {
    List<Runnable> asked = new ArrayList<>();
    EventSchema schema =
        new EventSchema(
            TOPIC,
            ControlSchemas.FILE_RECORD,
            registry,
            new Backoff(PAUSE, PAUSE, () -> 0),
            clock,
            asked::add);

    schema.register();
    clock.pass(PAUSE);
    schema.register();
    assertThat(asked).hasSize(1);

    asked.get(0).run();
    schema.register();
    assertThat(asked).hasSize(1);
    assertThat(registry.latest(SUBJECT)).isPresent();
  }

  private SchemaRegistry refusingFirst(AtomicInteger asked) {
    return (SchemaRegistry)
        Proxy.newProxyInstance(
            SchemaRegistry.class.getClassLoader(),
            new Class<?>[] {SchemaRegistry.class},
            (proxy, method, arguments) -> {
              if (asked.getAndIncrement() == 0) {
                throw new RegistryException("HTTP 403", null);
              }
              return method.invoke(registry, arguments);
            });
  }
}
