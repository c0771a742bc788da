/** Derives the rows of views from a primary record, and what changed from two sets of rows. */
package io.indexview.views.derive;
