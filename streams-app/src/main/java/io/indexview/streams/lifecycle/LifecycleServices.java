package io.indexview.streams.lifecycle;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.health.ViewStateGauges;
import io.indexview.streams.lifecycle.work.Worker;

/**
 * What the owner of the view states uses of the application.
 *
 * @param worker of this process, whichever of its threads owns the view states
 */
public record LifecycleServices(
    SchemaRegistry registry, RegistryWait registryWait, Worker worker, ViewStateGauges gauges) {}
