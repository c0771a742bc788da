package io.indexview.demo;

import io.indexview.kvstore.KvRecord;
import io.indexview.local.pipeline.RecordSetSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/**
 * A record set and what happens to it.
 *
 * @param snapshots at least one, in the order of time
 */
record DataSet(String name, Schema schema, KeyTemplate key, List<Snapshot> snapshots) {
  DataSet {
    snapshots = List.copyOf(snapshots);
  }

  /** Decodes a record as the store holds it. */
  GenericRecord decode(KvRecord record) {
    try {
      return new GenericDatumReader<GenericRecord>(schema)
          .read(null, DecoderFactory.get().binaryDecoder(record.value(), null));
    } catch (IOException e) {
      throw new UncheckedIOException("record " + record.key() + " is no " + schema.getName(), e);
    }
  }

  RecordSetSpec spec() {
    return new RecordSetSpec(name, key.prefix(), schema);
  }

  /**
   * The whole of a data set at one time, as newline-delimited JSON.
   *
   * @param name what messages call it
   */
  record Snapshot(String name, Source source) {
    /** Opens the text, plain or gzipped; more than once. */
    interface Source {
      InputStream open() throws IOException;
    }

    static Snapshot ofFile(Path file) {
      return new Snapshot(file.toString(), () -> Files.newInputStream(file));
    }

    static Snapshot ofResource(String name) {
      return new Snapshot(name, () -> Snapshot.class.getResourceAsStream(name));
    }

    JsonLines open(Schema schema) throws IOException {
      return new JsonLines(name, source.open(), schema);
    }
  }
}
