/** How fast the kvstore source scans. */
package io.indexview.benchmarks.scan;
