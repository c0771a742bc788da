package io.indexview.benchmarks.verify;

import io.indexview.benchmarks.data.People;
import io.indexview.client.verify.Row;
import io.indexview.client.verify.RowContent;
import io.indexview.client.verify.TargetReader;
import io.indexview.client.verify.live.RowLog;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** Any number of rows, derived and stored, none of which takes memory. */
final class MadeUpRows implements RowLog, TargetReader {
  private final TargetReader layout;
  private final long rows;
  private final CompiledView view;
  private final ViewRow row;

  /**
   * @param layout of the rows
   */
  MadeUpRows(TargetReader layout, long rows) throws DerivationException {
    this.layout = layout;
    this.rows = rows;
    this.view = CompiledView.compile(VerifiedView.GENERATION, People.SCHEMA);
    this.row = view.rows(People.person(0, 0), People.key(0)).get(0);
  }

  private void forEachRow(Consumer<RowContent> taker) {
    GenericRecord key = view.keyOf(row);
    GenericRecord value = view.valueOf(row, VerifiedView.REVISION);
    for (long i = 0; i < rows; i++) {
      key.put(ViewFields.PRIMARY_KEY, "/Corporate/people/" + i);
      value.put("cost", i);
      taker.accept(layout.derived(key, value, VerifiedView.REVISION));
    }
  }

  @Override
  public void scan(TargetReader.Visitor visitor) {
    throw new UnsupportedOperationException("every row is right at once");
  }

  @Override
  public void scanContents(
      TargetReader.ContentVisitor visitor, Optional<String> from, List<String> sample) {
    forEachRow(row -> visitor.content(row.id(), row.content()));
  }

  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, RowLog.Visitor visitor) {
    if (!from.getOrDefault(0, 0L).equals(to.get(0))) {
      forEachRow(row -> visitor.change(row.id(), Optional.of(row)));
    }
  }

  @Override
  public Map<Integer, Long> ends() {
    return Map.of(0, rows);
  }

  @Override
  public boolean isApplied(Map<Integer, Long> ends) {
    return true;
  }

  @Override
  public Row expected(GenericRecord rowKey, GenericRecord rowValue, long revision) {
    return layout.expected(rowKey, rowValue, revision);
  }

  @Override
  public String id(GenericRecord rowKey) {
    return layout.id(rowKey);
  }

  @Override
  public Optional<byte[]> foreign(String id, Meter meter) {
    return Optional.empty();
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    throw new UnsupportedOperationException("every row is right at once");
  }

  @Override
  public OptionalLong revision(String id, Meter meter) {
    throw new UnsupportedOperationException("every row is right at once");
  }

  @Override
  public void close() {}
}
