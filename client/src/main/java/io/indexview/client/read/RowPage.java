package io.indexview.client.read;

import io.indexview.schemas.control.ViewState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.generic.GenericRecord;

/**
 * A page of the rows of a view, in order.
 *
 * @param rows fewer than were asked for although more follow, if they or their records are large;
 *     may be none, if rows were left out
 * @param next token of the next page; null after the last one
 * @param generation that the rows are of
 * @param state of the view while they were read; other than READY only if that was asked for
 * @param reason why it is not READY; empty: nothing to say
 * @param asOf when the page was begun: what the target held then is in it, if it was read with
 *     absolute consistency
 * @param visibleBefore every change that was made before is in the rows, or was replaced by a later
 *     one; empty: not known
 * @param leftOut rows without a primary record that gives them; none if none was fetched
 */
public record RowPage(
    List<Row> rows,
    String next,
    int generation,
    ViewState.State state,
    String reason,
    Instant asOf,
    Optional<Instant> visibleBefore,
    LeftOut leftOut) {
  public RowPage {
    rows = List.copyOf(rows);
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(asOf, "asOf");
    Objects.requireNonNull(visibleBefore, "visibleBefore");
    Objects.requireNonNull(leftOut, "leftOut");
  }

  /**
   * How many rows were left out, by what became of their primary records since.
   *
   * @param gone there is none any more
   * @param noLongerMatching it gives no such row any more
   * @param unreadable its value is there, and is none that the record set's format and schema read
   */
  public record LeftOut(int gone, int noLongerMatching, int unreadable) {
    public static final LeftOut NONE = new LeftOut(0, 0, 0);

    public int total() {
      return gone + noLongerMatching + unreadable;
    }
  }

  /**
   * One row. Values are {@link String}, {@link Integer}, {@link Long}, {@link Float}, {@link
   * Double}, {@link Boolean}, {@link java.time.LocalDate}, {@link Instant}, {@link
   * java.math.BigDecimal}, {@link java.nio.ByteBuffer}, {@link List} and {@link Map} of these.
   *
   * @param key key field values by name, in the order of the key; null values present
   * @param values included field values by name; null values present
   * @param revision empty where rows hold none
   * @param record the primary record, if it was to be fetched
   */
  public record Row(
      Map<String, Object> key,
      String primaryKey,
      Map<String, Object> values,
      OptionalLong revision,
      Optional<GenericRecord> record) {}
}
