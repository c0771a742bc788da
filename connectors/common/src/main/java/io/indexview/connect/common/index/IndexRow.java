package io.indexview.connect.common.index;

import io.indexview.schemas.order.Entry;

/**
 * What an index holds of one primary key.
 *
 * @param key UTF-8 of the primary key; not copied, never to be changed
 */
public record IndexRow(byte[] key, Entry entry) {}
