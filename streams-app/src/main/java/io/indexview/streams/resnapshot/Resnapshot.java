package io.indexview.streams.resnapshot;

/**
 * That all sources of a topic published every record again, as it concerns one partition.
 *
 * @param startedAtMs when the first of them began, ms since the epoch
 * @param begin where the partition ended before any of them began
 * @param end where it ended after all of them were done
 */
record Resnapshot(long startedAtMs, long begin, long end) {}
