/** {@code bin/indexview-bench}. */
package io.indexview.benchmarks;
