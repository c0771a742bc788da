/** The kvstore source: sweeps a store and publishes what changed. */
package io.indexview.connect.kvstore.source;
