package io.indexview.streams.generation;

import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.views.definition.ViewGeneration;
import java.util.Objects;

/**
 * A generation with the ids of its schemas in the registry, pinned when it was frozen.
 *
 * @param readerSchemaId the record schema it reads with
 */
public record FrozenGeneration(
    ViewGeneration generation, int readerSchemaId, int keySchemaId, int valueSchemaId) {
  public FrozenGeneration {
    Objects.requireNonNull(generation, "generation");
  }

  /** As it is to be published, for the first build. */
  PublishedGeneration published(long nowMs) {
    return new PublishedGeneration(
        generation.view(),
        generation.number(),
        generation.definition().toJson(),
        generation.recordSet().name(),
        generation.sourceTopic(),
        generation.viewTopic(),
        new PublishedGeneration.SchemaIds(readerSchemaId, keySchemaId, valueSchemaId),
        generation.encodingVersion(),
        nowMs,
        BuildRequest.FIRST,
        false);
  }

  public String view() {
    return generation.view();
  }

  public int number() {
    return generation.number();
  }

  public String viewTopic() {
    return generation.viewTopic();
  }
}
