/** Compares the rows of a view with what the streams app derived, while data flows. */
package io.indexview.verification.live;
