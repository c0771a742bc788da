package io.indexview.views.layout;

import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import java.util.function.Function;

/**
 * Rows of one generation in the KV store. Fields are taken by name from a function, so that Avro
 * records ({@code record::get}), Connect structs ({@code struct::get}) and maps all fit.
 * Thread-safe.
 */
public final class KvLayout {

  public static KvLayout of(ViewGeneration generation) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * @param key fields of the row key, {@code _primaryKey} among them
   * @throws LayoutException if the key is longer than the store takes
   */
  public KvPath path(Function<String, ?> key) {
    throw new IllegalStateException("not built yet");
  }

  /** The stored value of a row: empty for key-only rows. */
  public byte[] value(Function<String, ?> key, Function<String, ?> value, long revision) {
    throw new IllegalStateException("not built yet");
  }

  /** The stored value of a deletion marker, for key/value rows. */
  public byte[] deletionMarker(Function<String, ?> key, long revision) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * A row read back.
   *
   * @throws LayoutException if it is no row of this generation
   */
  public StoredRow row(KvPath path, byte[] value) {
    throw new IllegalStateException("not built yet");
  }

  /** The components that the keys of all rows begin with, and those of no other view. */
  public List<String> parent() {
    throw new IllegalStateException("not built yet");
  }

  /**
   * The leading components of the keys of all rows with the given leading key values.
   *
   * @param leading values of the first key fields, as many as are given
   */
  public KvPath prefix(List<?> leading) {
    throw new IllegalStateException("not built yet");
  }

  /** Major path of the view's metadata, the same for all generations. */
  public List<String> metadataParent() {
    throw new IllegalStateException("not built yet");
  }

  /** Key of the metadata record that says the view is in a state. */
  public KvPath metadata(String state) {
    throw new IllegalStateException("not built yet");
  }
}
