/** Pages of views, against bare range reads of the same rows. */
package io.indexview.benchmarks.read;
