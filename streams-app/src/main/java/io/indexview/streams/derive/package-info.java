/** Derives the rows that a change event changes, without any type of Kafka Streams. */
package io.indexview.streams.derive;
