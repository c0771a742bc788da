package io.indexview.streams.topology;

import io.indexview.streams.config.RecordSetConfig;

/**
 * Names of everything a record set has in the topology. They are part of the names of changelog
 * topics and of the state directory: an upgrade contract.
 *
 * @param store of the primary records
 * @param builds store of what the task remembers of generations
 * @param replay store of what a replay has materialized so far
 */
record Names(String recordSet, String store, String builds, String replay) {

  static Names of(RecordSetConfig recordSet) {
    String name = recordSet.name();
    return new Names(name, recordSet.storeName(), "builds-" + name, "replay-" + name);
  }

  String source() {
    return "read-changes-" + recordSet;
  }

  String processor() {
    return "derive-rows-" + recordSet;
  }

  String rowSink() {
    return "write-rows-" + recordSet;
  }

  String deadLetterSink() {
    return "write-dead-letters-" + recordSet;
  }

  String progressSink() {
    return "write-progress-" + recordSet;
  }
}
