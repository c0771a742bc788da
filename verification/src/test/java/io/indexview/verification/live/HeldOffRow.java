package io.indexview.verification.live;

import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.generic.GenericRecord;

/**
 * One row, which somebody wrote with a revision far above the app's, so that a fence holds all its
 * changes off. It is derived anew whenever the end of the topic is asked for.
 */
final class HeldOffRow implements RowLog, TargetReader, LiveVerification.Monitor {
  static final String ID = "row";

  private static final Row PLANTED = row(Long.MAX_VALUE / 2);

  private long derived;

  private static Row row(long revision) {
    return new Row(
        ID, "of-" + ID, Map.of("id", ID), Map.of("value", revision), OptionalLong.of(revision));
  }

  @Override
  public Map<Integer, Long> ends() {
    derived++;
    return Map.of(0, derived);
  }

  @Override
  public boolean isApplied(Map<Integer, Long> ends) {
    return true;
  }

  /** The revision of a change is its offset. */
  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, RowLog.Visitor visitor) {
    for (long offset = from.getOrDefault(0, 0L); offset < to.get(0); offset++) {
      visitor.change(ID, Optional.of(content(row(offset))));
    }
  }

  @Override
  public String id(GenericRecord key) {
    throw new UnsupportedOperationException("the log is read as rows");
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long revision) {
    throw new UnsupportedOperationException("the log is read as rows");
  }

  @Override
  public void scan(TargetReader.Visitor visitor) {
    visitor.row(PLANTED);
  }

  @Override
  public void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample) {
    visitor.content(ID, content(PLANTED).content());
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    return Optional.of(PLANTED);
  }

  @Override
  public OptionalLong revision(String id, Meter meter) {
    return PLANTED.revision();
  }

  @Override
  public void at(String step, Counts counts) {}

  @Override
  public void rowRead() {}

  @Override
  public void consumed(long bytes, double readUnits) {}

  @Override
  public void pause(Duration duration) {}

  @Override
  public void close() {}
}
