package io.indexview.streams.derive;

/**
 * One record of a primary-change topic as it came.
 *
 * @param timestampMs of the Kafka record, ms since the epoch
 * @param key may be null
 * @param value may be null
 */
public record ChangeRecord(
    String topic, int partition, long offset, long timestampMs, byte[] key, byte[] value) {}
