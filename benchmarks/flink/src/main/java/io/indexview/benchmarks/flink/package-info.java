/** Flink SQL as a contestant. */
package io.indexview.benchmarks.flink;
