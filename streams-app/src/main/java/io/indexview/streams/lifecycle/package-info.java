/**
 * The one owner of the view states: a sub-topology of one task that learns what is wanted and what
 * happened, and alone says what is.
 *
 * <p>What it costs: a task reports a generation at most every half second while it builds, every
 * two seconds while only counts of rows change, and not at all when nothing does. A report is one
 * step of its view in memory and one small record of the store's changelog; the whole life of a
 * view is written only when it changed otherwise, for mere progress at most twice a second. A tick,
 * five times a second, asks those views alone that changed or wait for time. Starting again reads
 * everything once.
 */
package io.indexview.streams.lifecycle;
