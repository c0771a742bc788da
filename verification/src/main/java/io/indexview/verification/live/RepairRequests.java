package io.indexview.verification.live;

import io.indexview.schemas.control.UnexpectedRow;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Asks the tasks that own the records of wrong rows to write the rows anew, in the order of all
 * other changes. Not safe for use by several threads; all methods throw {@link
 * org.apache.kafka.common.KafkaException} if the cluster does not answer.
 */
public interface RepairRequests extends AutoCloseable {

  /**
   * A row to be written anew, or to be deleted.
   *
   * @param revision that it has in the target; empty: none
   * @param extra its key fields, normalised, if it should not be there; empty: it should
   */
  record WrongRow(String primaryKey, OptionalLong revision, Optional<Map<String, Object>> extra) {
    public WrongRow {
      Objects.requireNonNull(primaryKey, "primaryKey");
      Objects.requireNonNull(revision, "revision");
      Objects.requireNonNull(extra, "extra");
    }
  }

  /** Tells that rows are wrong; done when whoever looks at the view can see it. */
  void begin(long wrong);

  /**
   * Asks the sink to remove unexpected rows, unless they are something else by then; done when all
   * tasks have passed that on, and that is committed.
   */
  default void remove(List<UnexpectedRow> rows) {
    throw new UnsupportedOperationException("removes nothing");
  }

  /** Asks for more; done when everybody has written what is asked, and that is committed. */
  void ask(List<WrongRow> rows);

  /**
   * Whether what was begun, or asked for last, is done. To be called again and again.
   *
   * @throws org.apache.kafka.common.errors.TimeoutException if nobody does anything for long
   */
  boolean isDone();

  /** Takes back what is not done. */
  @Override
  void close();
}
