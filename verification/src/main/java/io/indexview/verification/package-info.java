/** Compares the rows of a view with its primary records, in both directions. */
package io.indexview.verification;
