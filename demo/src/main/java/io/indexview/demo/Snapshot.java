package io.indexview.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.Schema;

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

  JsonRecords open(Schema schema) throws IOException {
    return new JsonRecords(name, source.open(), schema);
  }
}
