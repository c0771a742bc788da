package io.indexview.streams.topology;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Passes on that records were written: of those of one partition that follow each other only the
 * last one. Kafka Streams needs to know how far each partition was written, and what it does with
 * an acknowledgement takes as long as sending a record. Safe for use by several threads.
 */
final class AcknowledgementMerger {
  private RecordMetadata last;
  private Callback ofLast;

  /** A record was written; the one before is passed on if it is of another partition. */
  void add(RecordMetadata metadata, Callback callback) {
    RecordMetadata before;
    Callback ofBefore;
    synchronized (this) {
      before = last;
      ofBefore = ofLast;
      last = metadata;
      ofLast = callback;
    }
    if (before != null
        && (before.partition() != metadata.partition()
            || !before.topic().equals(metadata.topic()))) {
      ofBefore.onCompletion(before, null);
    }
  }

  /** What was written does not count any more. */
  synchronized void drop() {
    last = null;
    ofLast = null;
  }

  /** Passes the last one on. */
  void flush() {
    RecordMetadata metadata;
    Callback callback;
    synchronized (this) {
      metadata = last;
      callback = ofLast;
      last = null;
      ofLast = null;
    }
    if (metadata != null) {
      callback.onCompletion(metadata, null);
    }
  }
}
