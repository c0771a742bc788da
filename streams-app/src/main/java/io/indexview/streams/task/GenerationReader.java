package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.views.derive.CompiledView;

/**
 * Reads generations as they are published. A registry that fails shows as its exception, and says
 * nothing about the generation. Safe for use by several threads.
 */
final class GenerationReader {
  private static final String WHAT = "view-generations";

  private final SchemaRegistry registry;
  private final AvroDeserializer deserializer;

  /** A published generation that this release cannot derive with; the message says why. */
  static final class UnreadableException extends Exception {
    UnreadableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  GenerationReader(SchemaRegistry registry) {
    this.registry = registry;
    this.deserializer = new AvroDeserializer(registry, ControlSchemas.VIEW_GENERATION);
  }

  /**
   * @throws UnreadableException if the bytes are no generation that this release knows
   */
  PublishedGeneration read(GenerationKey key, byte[] value) throws UnreadableException {
    PublishedGeneration published;
    try {
      published = PublishedGeneration.of(deserializer.deserialize(WHAT, value));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new UnreadableException("it cannot be read: " + e.getMessage(), e);
    }
    if (!key.text().equals(published.key())) {
      throw new UnreadableException("it is published under another name or number", null);
    }
    return published;
  }

  /**
   * What to derive with; it compiles.
   *
   * @throws UnreadableException if it cannot be derived with
   */
  FrozenGeneration thaw(PublishedGeneration published) throws UnreadableException {
    FrozenGeneration frozen;
    try {
      frozen = FrozenGeneration.thaw(published, registry);
      CompiledView.compile(frozen.generation(), frozen.generation().recordSet().schema());
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new UnreadableException("it cannot be derived with: " + e.getMessage(), e);
    }
    if (!published.sourceTopic().equals(frozen.generation().sourceTopic())
        || !published.viewTopic().equals(frozen.viewTopic())
        || !published.view().equals(frozen.view())
        || published.generation() != frozen.number()) {
      throw new UnreadableException(
          "it is published for other topics, or under another name or number, than its key schema says",
          null);
    }
    return frozen;
  }
}
