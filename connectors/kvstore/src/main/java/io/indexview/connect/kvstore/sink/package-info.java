/** The kvstore sink: keeps index rows in a KV store. */
package io.indexview.connect.kvstore.sink;
