/** Verifying a view against reading its target. */
package io.indexview.benchmarks.verify;
