/** How fast the kvstore source sweeps. */
package io.indexview.benchmarks.sweep;
