/**
 * A store of another process over HTTP, for trials and tests: neither encrypted nor protected by a
 * password, and one process holds all data.
 */
package io.indexview.kvstore.remote;
