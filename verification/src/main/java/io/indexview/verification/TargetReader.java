package io.indexview.verification;

import io.indexview.client.admin.KnownViews;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.verification.ViewVerifier.TargetRows;
import io.indexview.views.layout.LayoutException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.avro.generic.GenericRecord;

/**
 * The rows of one view generation in a target that can be read by anybody, also while they change.
 * What was written before a read began is seen by it. Not safe for use by several threads, but for
 * {@link #id} and {@link #derived}, which another may call meanwhile.
 */
public interface TargetReader extends TargetRows, AutoCloseable {

  /** Hears what reading costs; what it throws ends the reading. */
  @FunctionalInterface
  interface Meter {
    /**
     * The target gave something.
     *
     * @param bytes of keys and values, as the target holds them
     * @param readUnits of DynamoDB; 0 elsewhere
     */
    void consumed(long bytes, double readUnits);
  }

  /** What a scan comes by; what any of these throws ends the scan. */
  interface Visitor extends Meter {
    void row(Row row);

    /** A row that was deleted, and is kept for the sink's fence. */
    void tombstone(String id);

    /**
     * A tombstone that should have been removed long ago.
     *
     * @param reason why
     */
    default void expiredTombstone(String id, String reason) {
      tombstone(id);
    }

    /**
     * What lies among the rows and is none of them.
     *
     * @param id its key in the target
     * @param kind one of those
     * @param content what it holds; the same bytes for the same
     */
    void unexpected(String id, Kind kind, String reason, byte[] content);
  }

  /** What a scan of contents comes by. */
  interface ContentVisitor extends Visitor {
    /**
     * A live row, perhaps undecoded.
     *
     * @param content if it is that of {@link #derived}, the row is equal to the derived one; if it
     *     is another, it may still be equal: {@link #content} of the row tells
     */
    void content(String id, byte[] content);

    /**
     * Everything before a position came: a scan from there comes by all that is left.
     *
     * @param position opaque, and valid after a restart, too
     */
    void reached(String position);
  }

  /** {@link Row#id} of the row that has a key. */
  String id(GenericRecord key);

  /** What the target should hold of a derived row, as it is compared. */
  default RowContent derived(GenericRecord key, GenericRecord value, long revision) {
    return content(expected(key, value, revision));
  }

  /** A row as it is compared. */
  default RowContent content(Row row) {
    return RowContent.of(row);
  }

  /**
   * Passes on everything that lies among the rows of the generation. What is there from the start
   * of the scan to its end comes exactly once; what is written meanwhile may come or not.
   */
  void scan(Visitor visitor);

  /**
   * Scans like {@link #scan}, where what a row holds need not be known.
   *
   * @param from a position that an earlier scan reached; empty: everything
   * @param sample ids of some rows, in any order, from all over the target: where a store passes
   *     rows on in no order, positions lie between them
   */
  void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample);

  /**
   * What lies at a key now and is no row of the generation, as {@link Visitor#unexpected} or {@link
   * Visitor#expiredTombstone} is given it; empty: nothing, a row, or another tombstone.
   *
   * @param id as one of them is given it
   */
  default Optional<byte[]> unexpected(String id, Meter meter) {
    return Optional.empty();
  }

  /**
   * Something that belongs to no view, where views have their rows and metadata.
   *
   * @param id its key in the target; of rows under an index name, the components that their keys
   *     begin with
   * @param kind one of those
   * @param reason why it is of none
   */
  record Orphaned(Kind kind, String id, String reason) {}

  /** What {@link #orphaned} does not look for though it may belong to no view, and why. */
  default List<NotLookedFor> notLookedFor() {
    return NotLookedFor.all("nobody looks for it in such a target");
  }

  /**
   * Passes on what the target holds under the prefixes of the generation, and in its table of
   * metadata, and belongs to no view, as far as it is looked for.
   *
   * @param visitor whether to go on
   * @param meter is called often, also when nothing is found
   */
  default void orphaned(KnownViews known, Predicate<Orphaned> visitor, Meter meter) {}

  /** The row that has an id, as {@link #id} or a row tells it; empty: none, or a tombstone. */
  Optional<Row> read(String id, Meter meter);

  /**
   * The revision by which the sink's fence holds off older writes of a row: that of whatever lies
   * in its place, a row, a tombstone, or what is no row of the generation; empty: nothing holds
   * them off.
   *
   * @param id as of {@link #read}
   */
  OptionalLong revision(String id, Meter meter);

  /** Whether the sink can be told to remove what is none of the rows. */
  default boolean removesUnexpected() {
    return true;
  }

  /** Gives back what reading took; whoever reads after that takes it again. */
  @Override
  default void close() {}

  /**
   * {@inheritDoc}
   *
   * @throws LayoutException if something lies there that is no row of the generation
   */
  @Override
  default void forEach(Consumer<Row> rows) {
    scan(
        new Visitor() {
          @Override
          public void row(Row row) {
            rows.accept(row);
          }

          @Override
          public void consumed(long bytes, double readUnits) {}

          @Override
          public void tombstone(String id) {}

          @Override
          public void unexpected(String id, Kind kind, String reason, byte[] content) {
            throw new LayoutException(id + ": " + reason);
          }
        });
  }
}
