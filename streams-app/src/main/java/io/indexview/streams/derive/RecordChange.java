package io.indexview.streams.derive;

import io.indexview.schemas.order.Entry;

/**
 * What became of one primary record.
 *
 * @param about the event that did it, as far as it is known
 * @param before null: nothing is known of the record
 */
record RecordChange(ChangeRecord about, String primaryKey, Entry before, Entry after) {}
