package io.indexview.client.admin;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.views.definition.ViewGeneration;

/**
 * The generation of a view that serves.
 *
 * @param published as tasks write it
 * @param frozen the same, read
 * @param sinkGroup consumer group of the target's sink
 */
public record ServedGeneration(
    PublishedGeneration published, ViewGeneration frozen, String sinkGroup) {}
