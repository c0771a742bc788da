/** The kvstore source: scans a store and publishes what changed. */
package io.indexview.connect.kvstore.source;
