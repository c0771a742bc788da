package io.indexview.benchmarks.read;

import io.indexview.benchmarks.data.People;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import java.util.List;

/** The client library. */
final class ClientPages implements PageSource<RowPage> {
  private final IndexViewReader reader;
  private final String view;
  private final ReadOptions options;

  ClientPages(IndexViewReader reader, String view, boolean fetch) {
    this.reader = reader;
    this.view = view;
    this.options = fetch ? ReadOptions.DEFAULT.fetching() : ReadOptions.DEFAULT;
  }

  @Override
  public RowPage read(int person, int rows) {
    return reader.read(
        ViewQuery.of(view)
            .where("active", true)
            .where(new ViewQuery.Range("id", People.id(person), true, null, true))
            .withLimit(rows),
        options);
  }

  @Override
  public List<String> primaryKeys(RowPage page) {
    return page.rows().stream().map(RowPage.Row::primaryKey).toList();
  }
}
