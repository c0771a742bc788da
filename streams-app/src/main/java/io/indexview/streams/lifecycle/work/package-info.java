/**
 * What the owner of the view states wants done off the stream thread, and what it is told about it.
 */
package io.indexview.streams.lifecycle.work;
