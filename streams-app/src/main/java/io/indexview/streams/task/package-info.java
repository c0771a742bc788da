/**
 * One task of a record set, without any type of Kafka Streams: events, and between them one
 * resumable scan of its state with its kinds.
 */
package io.indexview.streams.task;
