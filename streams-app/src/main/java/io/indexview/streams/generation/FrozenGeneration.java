package io.indexview.streams.generation;

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
