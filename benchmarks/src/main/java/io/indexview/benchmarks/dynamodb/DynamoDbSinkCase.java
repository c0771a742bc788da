package io.indexview.benchmarks.dynamodb;

import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import java.util.List;
import java.util.Locale;

/**
 * What the sink is to write.
 *
 * @param shape what the table holds
 * @param view the definition after name and source
 * @param changed whether all rows are there already, with an older revision
 */
record DynamoDbSinkCase(String shape, WriteMode mode, boolean changed, String view) {
  private static final String DOCUMENT =
      """
      kind: document
      include: [name, org, city, cost, note]
      target: dynamodb
      table: documents
      indexes:
        - name: org-cost-index
          partitionKey: org
          sortKey: cost
      """;

  private static final String INDEX =
      """
      key: [country, id]
      shardKey: 1
      include: [name, org]
      target: dynamodb
      table: by-country
      """;

  static final List<DynamoDbSinkCase> ALL =
      List.of(
          new DynamoDbSinkCase("document, one index", WriteMode.CONDITIONAL, false, DOCUMENT),
          new DynamoDbSinkCase("document, one index", WriteMode.CONDITIONAL, true, DOCUMENT),
          new DynamoDbSinkCase("document, one index", WriteMode.BATCH, false, DOCUMENT),
          new DynamoDbSinkCase("document, one index", WriteMode.BATCH, true, DOCUMENT),
          new DynamoDbSinkCase("index view", WriteMode.CONDITIONAL, false, INDEX),
          new DynamoDbSinkCase("index view", WriteMode.BATCH, false, INDEX));

  String title() {
    return "%s, %s, %s".formatted(shape, modeName(), rows());
  }

  String modeName() {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  String rows() {
    return changed ? "changed" : "new";
  }
}
