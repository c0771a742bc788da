/** What one event costs the streams app, up to the producer and the state store. */
package io.indexview.benchmarks.derive;
