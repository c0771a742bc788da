package io.indexview.streams.task;

/** The process is killed here. */
final class CrashException extends RuntimeException {}
