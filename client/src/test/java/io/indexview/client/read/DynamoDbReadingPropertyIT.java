package io.indexview.client.read;

import io.indexview.schemas.fixtures.Tries.Seeds;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class DynamoDbReadingPropertyIT {
  private static StoredDynamoDbView stored;

  @BeforeContainer
  static void open() {
    stored = new StoredDynamoDbView().withMetadata();
  }

  @AfterContainer
  static void close() {
    stored.close();
  }

  @Property(tries = 4)
  void answersAsAPlainFilterDoes(@ForAll(supplier = Seeds.class) long seed) {
    new ReadingProperties(stored, new RandomRows(seed, "dynamodb")).answersAsAPlainFilterDoes();
  }

  @Property(tries = 4)
  void givesEachRowOnceWhileOthersComeAndGo(@ForAll(supplier = Seeds.class) long seed) {
    new ReadingProperties(stored, new RandomRows(seed, "dynamodb"))
        .givesEachRowOnceWhileOthersComeAndGo();
  }
}
