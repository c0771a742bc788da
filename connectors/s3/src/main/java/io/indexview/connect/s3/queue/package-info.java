/** The queue that notifications come through: receiving, and deleting only what Kafka has. */
package io.indexview.connect.s3.queue;
