/**
 * What the owner of the view states wants done off the stream thread: one thread looks at each work
 * again and again until it is done, and tells what it found on {@code view-progress}.
 */
package io.indexview.streams.work;
