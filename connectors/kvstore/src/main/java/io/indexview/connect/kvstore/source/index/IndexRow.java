package io.indexview.connect.kvstore.source.index;

import io.indexview.schemas.order.Entry;

/**
 * What the index holds of one primary key.
 *
 * @param key UTF-8 of the primary key; not copied, never to be changed
 * @param id a small number that no other row of the index has, for bit sets; free again once the
 *     row is gone
 * @param entry without its value
 */
public record IndexRow(byte[] key, int id, Entry entry) {}
