package io.indexview.streams.derive;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.generation.Generations;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.ViewHealth;

/**
 * What the derivers of all record sets share; each part is safe for use by several threads.
 *
 * @param health learns of records that views cannot be derived from
 */
public record DeriverServices(
    Generations generations,
    SchemaRegistry registry,
    RegistryWait registryWait,
    AppMetrics metrics,
    ViewHealth health) {}
