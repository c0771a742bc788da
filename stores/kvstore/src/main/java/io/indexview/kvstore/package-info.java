/**
 * The key/value store as Indexview sees it: a port with the semantics of Oracle NoSQL's Key/Value
 * API. {@link io.indexview.kvstore.open.KvStores} opens one of its adapters.
 */
package io.indexview.kvstore;
