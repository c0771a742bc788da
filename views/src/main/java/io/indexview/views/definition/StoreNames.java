package io.indexview.views.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Names that definitions of one installation claim, each of which one view alone may have. For one
 * thread.
 */
public final class StoreNames {
  private final Map<String, String> owners = new HashMap<>();

  /** What the keys of the KV store with a first component are for. */
  private final Map<String, Use> uses = new HashMap<>();

  private record Use(String of, String owner) {}

  /** Keeps a DynamoDB table for something that is no view. */
  public void reserveTable(String table, String owner) {
    owners.putIfAbsent("table " + table, owner);
  }

  /** Keeps the keys of the KV store with a first component for primary records. */
  public void reserveKeys(String component, String recordSet) {
    uses.putIfAbsent(component, new Use("records", "record set \"%s\"".formatted(recordSet)));
  }

  /**
   * Claims the names of a definition; those that are free are taken by it then.
   *
   * @param recordSet that it reads from; null: not known, then a hashed name is not claimed
   * @param origin who claims, for messages
   * @return the names that another has
   */
  public List<Problem> claim(ViewDefinition definition, RecordSet recordSet, String origin) {
    List<Problem> problems = new ArrayList<>();
    String view = definition.name();
    claim("view " + view, origin, "name", view, problems);
    if (definition.target() instanceof Target.DynamoDb dynamoDb) {
      claim("table " + dynamoDb.table(), origin, "table", dynamoDb.table(), problems);
    } else if (definition.target() instanceof Target.Kv kv) {
      claim(kv, definition, recordSet, origin, problems);
    }
    return problems;
  }

  private void claim(
      Target.Kv kv,
      ViewDefinition definition,
      RecordSet recordSet,
      String origin,
      List<Problem> problems) {
    use(kv.prefix(), new Use("rows", origin), "prefix", problems);
    use(
        kv.prefix() + Target.Kv.OWNER_SUFFIX,
        new Use("owners of rows", origin),
        "prefix",
        problems);
    use(kv.metaPrefix(), new Use("metadata", origin), "metaPrefix", problems);
    use(
        kv.metaPrefix() + Target.Kv.HISTORY_SUFFIX,
        new Use("metadata's history", origin),
        "metaPrefix",
        problems);
    if (definition.naming() == ViewDefinition.Naming.HASH && recordSet != null) {
      String index = StoreNaming.base(definition, recordSet.schema());
      claim("index " + kv.prefix() + "/" + index, origin, "naming", "hash", problems);
      claim("metadata " + kv.metaPrefix() + "/" + index, origin, "naming", "hash", problems);
    }
  }

  /** Views may share a component, but for one use: metadata is found and rows removed by it. */
  private void use(String component, Use use, String field, List<Problem> problems) {
    Use other = uses.putIfAbsent(component, use);
    if (other != null && !other.of().equals(use.of())) {
      problems.add(
          new Problem(
              field,
              component,
              "holds the %s of %s; use another".formatted(other.of(), other.owner())));
    }
  }

  private void claim(
      String name, String origin, String field, String value, List<Problem> problems) {
    String owner = owners.putIfAbsent(name, origin);
    if (owner == null || problems.stream().anyMatch(problem -> problem.field().equals(field))) {
      return;
    }
    String remedy =
        field.equals("naming")
            ? "has the same schema and key fields as " + owner + "; use naming: plain"
            : "is taken by " + owner + "; choose another";
    problems.add(new Problem(field, value, remedy));
  }
}
