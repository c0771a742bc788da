package io.indexview.streams.derive;

import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.health.AppMetrics;

/** What the tasks of all record sets share; each part is safe for use by several threads. */
public record DeriverServices(
    SchemaRegistry registry, RegistryWait registryWait, OrderGuard guard, AppMetrics metrics) {}
