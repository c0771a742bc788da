package io.indexview.streams.derive;

import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.health.AppMetrics;
import java.util.function.Function;

/**
 * What the tasks of all record sets share; each part is safe for use by several threads.
 *
 * @param readers one for each task, which reads the messages of its topic
 */
public record DeriverServices(
    SchemaRegistry registry,
    RegistryWait registryWait,
    OrderGuard guard,
    AppMetrics metrics,
    Time time,
    Function<TaskLocation, EventReader> readers) {

  /** Services for record sets in Avro. */
  public DeriverServices(
      SchemaRegistry registry,
      RegistryWait registryWait,
      OrderGuard guard,
      AppMetrics metrics,
      Time time) {
    this(
        registry,
        registryWait,
        guard,
        metrics,
        time,
        location -> new ChangeEventReader(registry, location.format()));
  }
}
