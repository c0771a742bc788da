/** How fast the streams app as a whole is, beside other ways to derive the same rows. */
package io.indexview.benchmarks.app;
