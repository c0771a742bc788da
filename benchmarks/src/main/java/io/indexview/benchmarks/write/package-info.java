/** Writes of primary records, against bare puts and sends. */
package io.indexview.benchmarks.write;
