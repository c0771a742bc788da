/** What the benchmarks work on. */
package io.indexview.benchmarks.data;
