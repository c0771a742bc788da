/** One task of a record set: events, builds and what has to happen to its state, in turn. */
package io.indexview.streams.task;
