package io.indexview.streams.task;

import org.apache.kafka.common.KafkaException;

/** The process is killed here. */
final class CrashException extends KafkaException {}
