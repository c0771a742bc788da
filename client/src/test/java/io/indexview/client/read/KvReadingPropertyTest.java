package io.indexview.client.read;

import io.indexview.schemas.fixtures.Tries.Seeds;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class KvReadingPropertyTest {
  private static StoredKvView stored;

  @BeforeContainer
  static void open() {
    stored = new StoredKvView();
  }

  @AfterContainer
  static void close() {
    stored.close();
  }

  @Property(tries = 60)
  void answersAsAPlainFilterDoes(@ForAll(supplier = Seeds.class) long seed) {
    new ReadingProperties(stored, new RandomRows(seed, "kv")).answersAsAPlainFilterDoes();
  }

  @Property(tries = 60)
  void givesEachRowOnceWhileOthersComeAndGo(@ForAll(supplier = Seeds.class) long seed) {
    new ReadingProperties(stored, new RandomRows(seed, "kv"))
        .givesEachRowOnceWhileOthersComeAndGo();
  }
}
