package io.indexview.streams.build;

/** The process is killed here. */
final class CrashException extends RuntimeException {}
