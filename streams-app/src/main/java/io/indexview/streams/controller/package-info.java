/**
 * The one controller of the views. A thread of the process that holds the lease brings every view
 * from what it is to what is desired: it reads the control topics, has the rules decide, commits
 * state, generations and statuses in one transaction, and acts on what is committed.
 *
 * <p>What it costs: a report of a task is a step in memory. The state of a view is written when it
 * changed, for mere progress at most once a second. Views that nothing happens to, and that wait
 * for nothing, are not looked at. Starting again reads everything once.
 */
package io.indexview.streams.controller;
