package io.indexview.streams.task;

import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.resnapshot.AppPosition;

/**
 * What all tasks of the application share; each part is safe for use by several threads.
 *
 * @param position how far the application has come
 */
public record TaskServices(DeriverServices deriving, AppPosition position) {}
