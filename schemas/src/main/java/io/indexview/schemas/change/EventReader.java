package io.indexview.schemas.change;

import io.indexview.schemas.registry.RegistryException;
import java.util.Optional;

/**
 * Reads the messages of one primary-change topic as their producer encodes them. Not safe for use
 * by several threads.
 */
public interface EventReader {

  /** What encodes keys and values. Keys of one encoding are others than those of another one. */
  String encoding();

  /**
   * A key as {@link PrimaryKeys} takes it.
   *
   * @param key null: the message has none
   * @throws MalformedEventException if it can never be read
   */
  byte[] key(byte[] key) throws MalformedEventException;

  /**
   * Reads one value.
   *
   * @param value null is a delete where the producer sends nothing else for it, or no more than a
   *     tombstone behind it: all that a compacted topic has left of both; elsewhere it says nothing
   * @param recordTimestampMs timestamp of the Kafka record; becomes the event's
   * @return empty if the value says nothing
   * @throws MalformedEventException if the bytes can never be read
   * @throws RegistryException if the registry failed: says nothing about the value
   */
  Optional<ChangeEvent> read(byte[] value, long recordTimestampMs) throws MalformedEventException;
}
