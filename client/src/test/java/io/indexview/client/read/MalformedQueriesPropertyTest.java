package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.definition.ViewFields.KeyField;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever somebody asks for, as text: it is answered, or said to be no query. */
class MalformedQueriesPropertyTest {
  private static final int QUERIES = 5;
  private static final long MAX_BYTES = 64L << 20;
  private static final String[] VALUES = {
    "Support", "12", "-1.5", "2017-08-20", "2017-08-20T09:30:00.001Z", "true"
  };

  private static StoredKvView stored;

  @BeforeContainer
  static void open() {
    stored = new StoredKvView();
  }

  @AfterContainer
  static void close() {
    stored.close();
  }

  @Property(tries = 200)
  void malformedQueryIsAnsweredOrRefused(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    RandomRows view = new RandomRows(seed, "kv");
    stored.prepare(view.generation());
    stored.serve(view.generation());
    view.rows(3, "p").forEach(row -> stored.put(view.generation(), row, 7));
    IndexViewReader reader = stored.reader(StoredView.LOOKING);
    for (int i = 0; i < QUERIES; i++) {
      ViewQuery query = query(view, view.random());
      try {
        assertThat(Bounded.read(MAX_BYTES, () -> reader.read(query)).rows()).isNotNull();
      } catch (InvalidQueryException
          | InvalidPageTokenException
          | TooManyRowsException
          | KvStoreException.Refused e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  private static ViewQuery query(RandomRows view, Random random) {
    Mutator mutator = new Mutator(random);
    ViewQuery query = ViewQuery.of(view.generation().view()).withLimit(10);
    for (KeyField field : view.generation().fields().key()) {
      if (random.nextInt(3) == 0) {
        break;
      }
      String name = random.nextInt(8) > 0 ? field.name() : mutator.text(field.name());
      query = query.where(name, random.nextInt(10) == 0 ? null : mutator.text(VALUES));
    }
    switch (random.nextInt(4)) {
      case 0 -> query = query.where(new ViewQuery.Prefix(null, mutator.text(VALUES)));
      case 1 ->
          query =
              query.where(
                  ViewQuery.Range.between(null, mutator.text(VALUES), mutator.text(VALUES)));
      default -> {}
    }
    return random.nextInt(10) == 0 ? query.from(mutator.text("AAEC")) : query;
  }
}
