package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.views.derive.CompiledView;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads generations as they are published, each once for all tasks of the process: every task is
 * shown those of all record sets. A registry that fails shows as its exception, and says nothing
 * about the generation. Safe for use by several threads.
 */
public final class GenerationReader {
  private static final String WHAT = "view-generations";

  private final SchemaRegistry registry;
  private final AvroDeserializer deserializer;
  private final Map<String, Read> newest = new ConcurrentHashMap<>();

  private final Map<String, Thawed> thawed = new ConcurrentHashMap<>();

  private record Read(byte[] value, PublishedGeneration published) {}

  private record Thawed(PublishedGeneration published, FrozenGeneration frozen) {}

  /** A published generation that this release cannot derive with; the message says why. */
  static final class UnreadableException extends Exception {
    UnreadableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * @param registry stays open
   */
  public GenerationReader(SchemaRegistry registry) {
    this.registry = registry;
    this.deserializer = new AvroDeserializer(registry, ControlSchemas.VIEW_GENERATION);
  }

  /**
   * @throws UnreadableException if the bytes are no generation that this release knows
   */
  PublishedGeneration read(GenerationKey key, byte[] value) throws UnreadableException {
    Read known = newest.get(key.text());
    if (known != null && Arrays.equals(known.value(), value)) {
      return known.published();
    }
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
    newest.put(key.text(), new Read(value, published));
    return published;
  }

  /**
   * What to derive with; it compiles.
   *
   * @throws UnreadableException if it cannot be derived with
   */
  FrozenGeneration thaw(PublishedGeneration published) throws UnreadableException {
    Thawed known = thawed.get(published.key());
    if (known != null && known.published().equals(published)) {
      return known.frozen();
    }
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
    thawed.put(published.key(), new Thawed(published, frozen));
    return frozen;
  }
}
