package io.indexview.streams.task;

import java.util.function.BiConsumer;

/** The newest records of a control topic as they are there now, values not decoded. */
@FunctionalInterface
public interface ControlRecords {

  /** Shows every record that is not deleted, in any order; the arrays are not to be changed. */
  void forEach(BiConsumer<String, byte[]> visitor);
}
