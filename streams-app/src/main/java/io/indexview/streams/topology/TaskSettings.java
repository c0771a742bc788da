package io.indexview.streams.topology;

import io.indexview.streams.health.RecordSetCounters;
import java.time.Duration;

/** What the tasks of a record set are told beside what to derive. */
record TaskSettings(Duration tombstoneRetention, RecordSetCounters counters) {}
