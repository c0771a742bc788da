package io.indexview.views.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Names that definitions of one installation claim, each of which one view alone may have. */
final class StoreNames {
  private final Map<String, String> owners = new HashMap<>();

  List<Problem> claim(ViewDefinition definition, RecordSet recordSet, String origin) {
    List<Problem> problems = new ArrayList<>();
    String view = definition.name();
    claim("view " + view, origin, "name", view, problems);
    if (definition.target() instanceof Target.DynamoDb dynamoDb) {
      claim("table " + dynamoDb.table(), origin, "table", dynamoDb.table(), problems);
    } else if (definition.target() instanceof Target.Kv kv
        && definition.naming() == ViewDefinition.Naming.HASH) {
      String index = StoreNaming.base(definition, recordSet.schema());
      claim("index " + kv.prefix() + "/" + index, origin, "naming", "hash", problems);
      claim("metadata " + kv.metaPrefix() + "/" + index, origin, "naming", "hash", problems);
    }
    return problems;
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
