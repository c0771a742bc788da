/**
 * What a task knows of the generations it writes, and how it builds them from its state between
 * live events; without any type of Kafka Streams.
 */
package io.indexview.streams.build;
