/**
 * The key/value store as Indexview sees it: a port with the semantics of Oracle NoSQL's Key/Value
 * API, and {@link io.indexview.kvstore.KvStores} that opens one of its adapters.
 */
package io.indexview.kvstore;
