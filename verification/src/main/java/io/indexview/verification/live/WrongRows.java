package io.indexview.verification.live;

import io.indexview.verification.TargetReader;
import io.indexview.verification.live.RepairRequests.WrongRow;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Passes on what is to be done about wrong rows. */
final class WrongRows implements RowJoin.Results {
  private final RowJoin asked;
  private final TargetReader target;
  private final LiveVerification.Monitor monitor;
  private final Consumer<WrongRow> rows;

  /**
   * @param asked takes what the rows should be
   */
  WrongRows(
      RowJoin asked,
      TargetReader target,
      LiveVerification.Monitor monitor,
      Consumer<WrongRow> rows) {
    this.asked = asked;
    this.target = target;
    this.monitor = monitor;
    this.rows = rows;
  }

  @Override
  public void right(String id, boolean stands) {
    throw new IllegalStateException("row was kept as a wrong one: " + id);
  }

  /** The app has changed the row since; the target may have refused that, too. */
  @Override
  public void moved(String id, Optional<RowImage> newest) {
    pass(id, newest, Optional.empty());
  }

  @Override
  public void wrong(
      String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
    pass(id, expected, actual);
  }

  private void pass(String id, Optional<RowImage> expected, Optional<RowImage> actual) {
    asked.expect(id, expected);
    if (expected.isPresent()) {
      OptionalLong found = actual.isPresent() ? RowImage.revision(actual) : inPlace(id);
      rows.accept(new WrongRow(expected.get().primaryKey(), found, Optional.empty()));
    } else {
      monitor.rowRead();
      target
          .read(id, monitor)
          .ifPresent(
              row ->
                  rows.accept(
                      new WrongRow(row.primaryKey(), row.revision(), Optional.of(row.key()))));
    }
  }

  /** What the target has there now, a row or what holds one off. */
  private OptionalLong inPlace(String id) {
    monitor.rowRead();
    return target.revision(id, monitor);
  }
}
