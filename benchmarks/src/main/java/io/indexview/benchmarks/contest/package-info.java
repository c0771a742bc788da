/** Comparing rates side by side in one run. */
package io.indexview.benchmarks.contest;
