/** From a primary record to the rows of its views, and from two sets of rows to what changed. */
package io.indexview.views.derive;
