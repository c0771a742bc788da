package io.indexview.connect.s3;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.common.source.SourceSlice;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.record.BucketListing;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.SliceOffset;
import io.indexview.connect.s3.record.SliceReporter;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes the slices that a task answers for. */
final class Slices {
  /** The only slice of a source that lists nothing. */
  static final String QUEUE_SLICE = "queue";

  private final S3SourceTaskConfig config;
  private final Clock clock;
  private final SourceStates states;
  private final FileEvents events;
  private final List<Slice> slices = new ArrayList<>();

  /**
   * @param offsets what Connect kept of each bucket
   */
  Slices(
      S3SourceTaskConfig config,
      ObjectStore objects,
      Map<String, SliceOffset> offsets,
      Clock clock) {
    this.config = config;
    this.clock = clock;
    this.states = new SourceStates(config.source().topics().sourceStates());
    this.events = new FileEvents(config.topic(), config.keyFields(), config.source().name(), clock);
    for (String bucket : config.taskBuckets()) {
      slices.add(bucketSlice(bucket, objects, offsets.getOrDefault(bucket, SliceOffset.NONE)));
    }
    if (config.ownsQueueSlice()) {
      slices.add(queueSlice());
    }
  }

  private Slice bucketSlice(String bucket, ObjectStore objects, SliceOffset offset) {
    Map<String, Object> partition = SliceOffset.bucketPartition(config.source().name(), bucket);
    SliceReporter reporter = reporter(bucket, config.buckets().size(), partition, offset.look());
    BucketListing listing =
        offset.look() != null
            ? null
            : new BucketListing(bucket, partition, objects, events, config.backoff(), clock);
    return new Slice(reporter, listing);
  }

  /** Without buckets there is no first look to wait for: complete from the start. */
  private Slice queueSlice() {
    long now = clock.millis();
    Look nothing = new Look(1, now, now, 0, false, Map.of(), Map.of());
    Map<String, Object> partition =
        SliceOffset.queuePartition(config.source().name(), config.queueUrl());
    return new Slice(reporter(QUEUE_SLICE, 1, partition, nothing), null);
  }

  private SliceReporter reporter(String name, int count, Map<String, Object> partition, Look look) {
    SourceSlice slice = new SourceSlice(config.source().name(), config.topic(), name, count);
    return new SliceReporter(states, slice, partition, look, config.source().heartbeatInterval());
  }

  List<Slice> slices() {
    return List.copyOf(slices);
  }

  FileEvents events() {
    return events;
  }
}
