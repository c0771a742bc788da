package io.indexview.streams.topology;

import io.indexview.streams.health.RecordSetCounters;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What the tasks of a record set are told beside what to derive.
 *
 * @param pace of the calling stream thread
 */
record TaskSettings(
    Duration tombstoneRetention, RecordSetCounters counters, Supplier<BuildPace> pace) {}
