package io.indexview.server;

import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.schemas.control.ViewState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Answers as a test wants it, and remembers what it was asked. */
public final class FakeReader implements IndexViewReader {
  private volatile BiFunction<ViewQuery, ReadOptions, RowPage> answer;
  private volatile ViewQuery query;
  private volatile ReadOptions options;

  /** A page of a READY view. */
  public static RowPage page(List<RowPage.Row> rows, String next) {
    return new RowPage(
        rows,
        next,
        1,
        ViewState.State.READY,
        "",
        Instant.parse("2017-08-20T12:30:00Z"),
        Optional.of(Instant.parse("2017-08-20T12:29:00Z")),
        RowPage.LeftOut.NONE);
  }

  public void answer(BiFunction<ViewQuery, ReadOptions, RowPage> with) {
    answer = with;
  }

  void reset() {
    answer = (asked, how) -> page(List.of(), null);
    query = null;
    options = null;
  }

  @Override
  public RowPage read(ViewQuery newQuery, ReadOptions newOptions) {
    query = newQuery;
    options = newOptions;
    return answer.apply(newQuery, newOptions);
  }

  public ViewQuery query() {
    return query;
  }

  public ReadOptions options() {
    return options;
  }
}
