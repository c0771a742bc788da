package io.indexview.streams.generation;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
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

  /**
   * The generation that the key schema of its rows carries: exactly what was frozen.
   *
   * @throws IllegalStateException if it cannot be read back; says why
   * @throws RegistryException if the registry failed: says nothing about the generation
   */
  public static FrozenGeneration thaw(PublishedGeneration published, SchemaRegistry registry) {
    PublishedGeneration.SchemaIds ids = published.schemas();
    try {
      return new FrozenGeneration(
          ViewGeneration.ofKeySchema(registry.byId(ids.key())),
          ids.reader(),
          ids.key(),
          ids.value());
    } catch (RegistryException.NotFound | RegistryException.Rejected | IllegalArgumentException e) {
      throw new IllegalStateException(
          "view \"%s\" generation %d cannot be read back from its key schema, registry id %d: %s"
              .formatted(published.view(), published.generation(), ids.key(), e.getMessage()),
          e);
    }
  }

  /**
   * Returns the publication of this generation for a spec.
   *
   * @param viewTopicId Kafka's id of the topic that was created for it
   */
  public PublishedGeneration published(ViewSpec spec, String viewTopicId, long nowMs) {
    return new PublishedGeneration(
        generation.view(),
        generation.number(),
        spec.definition(),
        generation.recordSet().name(),
        generation.sourceTopic(),
        generation.viewTopic(),
        viewTopicId,
        new PublishedGeneration.SchemaIds(readerSchemaId, keySchemaId, valueSchemaId),
        generation.encodingVersion(),
        nowMs,
        spec.build(),
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
