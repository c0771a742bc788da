package io.indexview.views.definition;

import io.indexview.views.definition.ViewValidator.Findings;
import io.indexview.views.encoding.FieldType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What the DynamoDB layout can honour. */
final class DynamoDbRules {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{3,255}");
  private static final int MAX_TABLE = 240;
  private static final int MAX_INDEXES = 20;
  private static final int MAX_KEY_ATTRIBUTES = 2;

  private final ViewDefinition definition;
  private final Target.DynamoDb target;
  private final RecordSet recordSet;
  private final Findings findings;

  DynamoDbRules(
      ViewDefinition definition, Target.DynamoDb target, RecordSet recordSet, Findings findings) {
    this.definition = definition;
    this.target = target;
    this.recordSet = recordSet;
    this.findings = findings;
  }

  void check(Map<String, FieldPath> key, Map<String, FieldPath> included) {
    checkTable();
    if (definition.naming() == ViewDefinition.Naming.HASH) {
      findings.add("naming", "hash", "the table has the name given; remove naming");
    }
    if (definition.kind() == ViewDefinition.Kind.DOCUMENT) {
      checkDocumentKey(key);
      checkIndexes(key, included);
      return;
    }
    if (definition.shardKey() != null && definition.shardKeyLength() == 0) {
      findings.add("shardKey", 0, "the partition key needs a field; use 1 or more");
    }
    if (!target.indexes().isEmpty()) {
      findings.add("indexes", "", "belong to kind: document; make each a view of kind: index");
    }
  }

  private void checkTable() {
    String table = target.table();
    if (!NAME.matcher(table).matches() || table.length() > MAX_TABLE) {
      findings.add("table", table, "use 3 to 240 of the characters A-Z a-z 0-9 _ . -");
    } else if (StoreNaming.GENERATION_SUFFIX.matcher(table).matches()) {
      findings.add("table", table, "ends like the name of a later generation (-g and a number)");
    }
  }

  private void checkDocumentKey(Map<String, FieldPath> key) {
    List<String> paths = definition.key();
    if (paths.size() > MAX_KEY_ATTRIBUTES) {
      findings.add("key", paths, "a table has a partition key and a sort key at most; name two");
    }
    if (definition.nulls() == ViewDefinition.Nulls.INDEX) {
      findings.add("nulls", "index", "has no meaning in a document; remove it");
    }
    for (int i = 0; i < paths.size(); i++) {
      FieldPath path = key.get(paths.get(i));
      if (path != null && path.array() != null) {
        findings.add(
            "key[" + i + "]", path.path(), "fans out, but a document is one row; use kind: index");
      } else if (path != null && path.nullable()) {
        findings.add(
            "key[" + i + "]",
            path.path(),
            "can be null, then the record would have no place; leave key out to use the primary"
                + " key");
      }
    }
    boolean identifies =
        !recordSet.uniqueFields().isEmpty() && paths.containsAll(recordSet.uniqueFields());
    if (!paths.isEmpty() && !identifies) {
      findings.add(
          "key",
          paths,
          "two records could share it: record set \"%s\" has unique fields %s; add them, or leave"
                  .formatted(recordSet.name(), recordSet.uniqueFields())
              + " key out to use the primary key");
    }
  }

  private void checkIndexes(Map<String, FieldPath> key, Map<String, FieldPath> included) {
    if (target.indexes().size() > MAX_INDEXES) {
      findings.add("indexes", target.indexes().size(), "a table has 20 indexes at most");
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < target.indexes().size(); i++) {
      Target.GlobalIndex index = target.indexes().get(i);
      String place = "indexes[" + i + "].";
      if (!NAME.matcher(index.name()).matches()) {
        findings.add(
            place + "name", index.name(), "use 3 to 255 of the characters A-Z a-z 0-9 _ . -");
      } else if (!names.add(index.name())) {
        findings.add(place + "name", index.name(), "is there twice; choose another");
      }
      checkIndexKey(place + "partitionKey", index.partitionKey(), key, included);
      if (index.sortKey() != null) {
        checkIndexKey(place + "sortKey", index.sortKey(), key, included);
        if (index.sortKey().equals(index.partitionKey())) {
          findings.add(place + "sortKey", index.sortKey(), "is the partition key; remove it");
        }
      }
    }
  }

  private void checkIndexKey(
      String place, String path, Map<String, FieldPath> key, Map<String, FieldPath> included) {
    FieldPath found = key.containsKey(path) ? key.get(path) : included.get(path);
    if (found == null) {
      Set<String> known = new HashSet<>(key.keySet());
      known.addAll(included.keySet());
      findings.add(
          place,
          path,
          "is no field of the view's rows; "
              + Suggestions.remedy(path, known.stream().sorted().toList()));
    } else if (FieldType.of(found.leaf()).isEmpty()) {
      findings.add(
          place,
          path,
          "is " + FieldPath.typeOf(found.leaf()) + "; an index needs text or a number");
    }
  }
}
