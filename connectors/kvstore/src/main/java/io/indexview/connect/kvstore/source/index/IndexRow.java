package io.indexview.connect.kvstore.source.index;

import io.indexview.schemas.order.Entry;

/**
 * What the index holds of one primary key.
 *
 * @param key UTF-8 of the primary key; not copied, never to be changed
 * @param entry without its value
 */
public record IndexRow(byte[] key, Entry entry) {}
