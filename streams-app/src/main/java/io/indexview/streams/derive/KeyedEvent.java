package io.indexview.streams.derive;

import io.indexview.schemas.change.ChangeEvent;

/**
 * A change event and whose it is.
 *
 * @param stateKey identifies the primary record in the state
 * @param keySchemaId see {@link io.indexview.schemas.change.PrimaryKeys#schemaId}
 * @param primaryKey the same as text, as rows carry it
 * @param offset Kafka offset of the event
 */
record KeyedEvent(
    byte[] stateKey, int keySchemaId, String primaryKey, ChangeEvent event, long offset) {}
