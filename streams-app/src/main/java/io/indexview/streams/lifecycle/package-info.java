/**
 * The one owner of the view states: a sub-topology of one task that learns what is wanted and what
 * happened, and alone says what is.
 */
package io.indexview.streams.lifecycle;
