package io.indexview.streams.topology;

import io.indexview.streams.config.RecordSetConfig;

/**
 * Names of everything a record set has in the topology. They are part of the names of changelog
 * topics and of the state directory: an upgrade contract.
 *
 * @param store of the primary records
 * @param builds store of what the task remembers of generations
 */
record Names(String recordSet, String store, String builds) {

  static Names of(RecordSetConfig recordSet) {
    return new Names(recordSet.name(), recordSet.storeName(), "builds-" + recordSet.name());
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
