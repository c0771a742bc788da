package io.indexview.streams.task;

import io.indexview.streams.derive.DeriverServices;

/**
 * What all tasks of the application share; each part is safe for use by several threads.
 *
 * @param position how far the application has come
 * @param topics which topics there are
 * @param changelogRestore opens when the state was restored after a generation was created
 * @param changeLogs the primary-change topics, to be read again
 */
public record TaskServices(
    DeriverServices deriving,
    AppPosition position,
    TopicIdentity topics,
    BuildGate changelogRestore,
    ChangeLogs changeLogs) {}
