/** What is watched as long as it stands: dead letters of the sinks, and who fell behind. */
package io.indexview.streams.work.watch;
