package io.indexview.streams.lifecycle;

import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewWish;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.lifecycle.work.WorkResultCodec;
import java.util.Optional;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.errors.SerializationException;

/** Reads the control topics that the owner learns from. */
final class ControlReader {
  private final RegistryWait registryWait;
  private final AvroDeserializer wishes;
  private final AvroDeserializer progress;

  ControlReader(SchemaRegistry registry, RegistryWait registryWait) {
    this.registryWait = registryWait;
    this.wishes = new AvroDeserializer(registry, ControlSchemas.VIEW_DEFINITION);
    this.progress = new AvroDeserializer(registry, ControlSchemas.VIEW_PROGRESS);
  }

  /** What a record of {@code view-progress} tells. */
  sealed interface News {
    record OfTask(TaskProgress progress) implements News {}

    record OfWork(WorkResult result) implements News {}
  }

  /**
   * A record of {@code view-definitions}.
   *
   * @throws UnreadableException if it is none
   */
  ViewWish wish(String topic, String view, byte[] value) throws UnreadableException {
    try {
      ViewWish wish = ViewWish.of(decode(wishes, topic, value));
      if (wish.view().equals(view)) {
        return wish;
      }
      throw new UnreadableException(
          "it is for view \"%s\", its key says \"%s\"".formatted(wish.view(), view), null);
    } catch (SerializationException | AvroRuntimeException | IllegalArgumentException e) {
      throw new UnreadableException(e.getMessage(), e);
    }
  }

  /**
   * A record of {@code view-progress}; empty if it is for others.
   *
   * @throws UnreadableException if it is none
   */
  Optional<News> news(String topic, byte[] value) throws UnreadableException {
    try {
      GenericRecord record = decode(progress, topic, value);
      if (TaskProgress.isIn(record)) {
        return Optional.of(new News.OfTask(TaskProgress.of(record)));
      }
      if (WorkResultCodec.isIn(record)) {
        return Optional.of(new News.OfWork(WorkResultCodec.of(record)));
      }
      if (PurgeProgress.of(record).isPresent()) {
        return Optional.empty();
      }
    } catch (SerializationException | AvroRuntimeException | IllegalArgumentException e) {
      throw new UnreadableException(e.getMessage(), e);
    }
    throw new UnreadableException("it is neither a task's report nor a work's result", null);
  }

  private GenericRecord decode(AvroDeserializer deserializer, String topic, byte[] value) {
    return registryWait.get(() -> deserializer.deserialize(topic, value));
  }

  /** Nobody can read the record, now or later; the message says why. */
  static final class UnreadableException extends Exception {
    UnreadableException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
