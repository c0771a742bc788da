package io.indexview.client.admin;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewGeneration;

/**
 * The generation of a view that serves.
 *
 * @param published as tasks write it
 * @param frozen the same, read
 * @param state of the view
 */
public record ServedGeneration(
    PublishedGeneration published, ViewGeneration frozen, ViewState state) {}
