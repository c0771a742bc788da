package io.indexview.client.verify;

import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** The rows of one view generation in its target. */
public interface TargetRows {

  /** What the target should hold of a derived row. */
  Row expected(GenericRecord key, GenericRecord value, long revision);

  /** Passes on every row that the target holds, tombstones left out. */
  void forEach(Consumer<Row> rows);
}
