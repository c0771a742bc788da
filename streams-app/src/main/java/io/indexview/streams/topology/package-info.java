/** The Kafka Streams topology: thin shells that carry events to the derivation and rows out. */
package io.indexview.streams.topology;
