/** Reads views that the KV store serves. */
package io.indexview.client.read.kv;
