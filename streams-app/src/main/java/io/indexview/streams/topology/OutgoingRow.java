package io.indexview.streams.topology;

/**
 * The key of a forwarded row and the place it goes to.
 *
 * @param partition the primary record's own
 * @param key serialized; not copied
 */
record OutgoingRow(String topic, int partition, byte[] key) {}
