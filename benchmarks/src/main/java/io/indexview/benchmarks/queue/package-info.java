/** How fast the S3 source takes messages from a queue. */
package io.indexview.benchmarks.queue;
