package io.indexview.views.layout;

import java.util.Map;
import java.util.OptionalLong;

/**
 * A row as read back from a store.
 *
 * @param key normalised key field values by name, in the order of the key; null values present
 * @param values included field values by name, in the form of {@link
 *     io.indexview.views.encoding.PlainValues}, equal where the values are; none of a deletion
 *     tombstone
 * @param revision empty where rows hold none
 * @param deleted a tombstone
 */
public record StoredRow(
    Map<String, Object> key,
    String primaryKey,
    Map<String, Object> values,
    OptionalLong revision,
    boolean deleted) {}
