/** How fast the kvstore sink writes. */
package io.indexview.benchmarks.sink;
