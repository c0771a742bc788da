package io.indexview.streams.lifecycle;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.lifecycle.machine.Publication;
import java.nio.charset.StandardCharsets;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** Writes what the owner publishes as it lies on the control topics. */
final class ControlWriter {
  private static final Schema TEXT = Schema.create(Schema.Type.STRING);

  private final Topics topics;
  private final RegistryWait registryWait;
  private final MessageWriter keys;
  private final MessageWriter values;

  ControlWriter(Topics topics, SchemaRegistry registry, RegistryWait registryWait) {
    this.topics = topics;
    this.registryWait = registryWait;
    this.keys = new MessageWriter(registry, true);
    this.values = new MessageWriter(registry, false);
  }

  /**
   * @param sink node of the topology
   * @param value null: a tombstone
   */
  record Message(String sink, byte[] key, byte[] value) {}

  Message message(Publication publication) {
    if (publication instanceof Publication.Generation published) {
      PublishedGeneration generation = published.generation();
      return new Message(
          LifecycleTopology.GENERATION_SINK,
          text(generation.key()),
          value(topics.viewGenerations(), generation.toAvro()));
    }
    if (publication instanceof Publication.GenerationGone gone) {
      String key = PublishedGeneration.key(gone.view(), gone.generation());
      return new Message(LifecycleTopology.GENERATION_SINK, text(key), null);
    }
    if (publication instanceof Publication.State published) {
      return new Message(
          LifecycleTopology.STATE_SINK,
          stateKey(published.state().view()),
          value(topics.viewStates(), published.state().toAvro()));
    }
    Publication.StateGone gone = (Publication.StateGone) publication;
    return new Message(LifecycleTopology.STATE_SINK, stateKey(gone.view()), null);
  }

  /** Framed, since sinks read it with the converter that they read the rows' keys with. */
  private byte[] stateKey(String view) {
    return registryWait.get(() -> keys.write(topics.viewStates(), TEXT, view));
  }

  private byte[] value(String topic, GenericRecord record) {
    return registryWait.get(() -> values.write(topic, record.getSchema(), record));
  }

  private static byte[] text(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
