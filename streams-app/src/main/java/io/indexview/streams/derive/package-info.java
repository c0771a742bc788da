/** From a change event to the rows that it changes, without any type of Kafka Streams. */
package io.indexview.streams.derive;
