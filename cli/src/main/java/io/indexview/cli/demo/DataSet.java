package io.indexview.cli.demo;

import io.indexview.local.pipeline.RecordSetSpec;
import java.util.List;
import org.apache.avro.Schema;

/**
 * A record set and what happens to it.
 *
 * @param snapshots at least one, in the order of time
 */
record DataSet(String name, Schema schema, KeyTemplate key, List<Snapshot> snapshots) {
  DataSet {
    snapshots = List.copyOf(snapshots);
  }

  RecordSetSpec spec() {
    return new RecordSetSpec(name, key.prefix(), schema);
  }
}
