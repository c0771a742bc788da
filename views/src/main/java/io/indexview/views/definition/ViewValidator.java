package io.indexview.views.definition;

import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.filter.RecordFilter;
import io.indexview.views.filter.RecordFilter.FilterIssue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/** Checks what definitions mean against the record sets they read from. Thread-safe. */
public final class ViewValidator {
  private static final int MAX_SHOWN = 80;
  private static final Set<String> RESERVED =
      Set.of(ViewFields.PRIMARY_KEY, ViewFields.REVISION, "_deleted");
  private static final Set<String> RESERVED_IN_DYNAMODB =
      Set.of(
          ViewFields.PRIMARY_KEY,
          ViewFields.REVISION,
          "_deleted",
          "_expiresAt",
          "_pk",
          "_sk",
          "revision",
          "gen");
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,60}");
  private static final int MAX_ROWS_PER_RECORD = 100_000;

  private final KnownTargets targets;

  public ViewValidator(KnownTargets targets) {
    this.targets = targets;
  }

  /** Whether a view may have the name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches() && !StoreNaming.GENERATION_SUFFIX.matcher(name).matches();
  }

  /** Everything that is wrong with a definition, empty if nothing is. */
  public List<Problem> problems(ViewDefinition definition, RecordSet recordSet) {
    Findings findings = new Findings();
    checkRows(definition, recordSet, findings);
    if (definition.target() instanceof Target.Kv kv && targets.fenced().contains(kv.type())) {
      KvRules.checkFenced(kv, findings);
    } else if (definition.target() instanceof Target.Connect connect) {
      ConnectTargetRules.checkKnown(connect, targets.connect(), findings);
    }
    if (definition.where() != null) {
      checkWhere(definition.where(), recordSet.schema(), findings);
    }
    return findings.problems();
  }

  private static void checkRows(ViewDefinition definition, RecordSet recordSet, Findings findings) {
    checkName(definition, recordSet, findings);
    Map<String, FieldPath> key = keyPaths(definition, recordSet.schema(), findings);
    Map<String, FieldPath> included = includedPaths(definition, recordSet.schema(), findings);
    checkOneArray(key, findings, definition.key());
    checkShardKey(definition, findings);
    checkOutputNames(definition, key, included, findings);
    if (definition.maxRowsPerRecord() < 1 || definition.maxRowsPerRecord() > MAX_ROWS_PER_RECORD) {
      findings.add(
          "maxRowsPerRecord",
          definition.maxRowsPerRecord(),
          "out of range; use 1 to " + MAX_ROWS_PER_RECORD);
    }
    if (definition.target() instanceof Target.Kv kv) {
      new KvRules(definition, kv, findings).check();
    } else if (definition.target() instanceof Target.DynamoDb dynamoDb) {
      new DynamoDbRules(definition, dynamoDb, recordSet, findings).check(key, included);
    } else {
      ConnectTargetRules.check(definition, findings);
    }
  }

  /**
   * Refuses a definition that is not valid.
   *
   * @throws InvalidViewException with all {@link #problems}
   */
  public void validate(ViewDefinition definition, RecordSet recordSet) {
    refuse(definition, problems(definition, recordSet));
  }

  /**
   * Refuses a definition whose rows cannot be made. What reads rows needs no filter.
   *
   * @throws InvalidViewException with all {@link #problems} but those of {@code where}
   */
  static void validateRows(ViewDefinition definition, RecordSet recordSet) {
    Findings findings = new Findings();
    checkRows(definition, recordSet, findings);
    refuse(definition, findings.problems());
  }

  private static void refuse(ViewDefinition definition, List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new InvalidViewException("view \"" + definition.name() + '"', problems);
    }
  }

  private static void checkName(ViewDefinition definition, RecordSet recordSet, Findings findings) {
    String name = definition.name();
    if (!NAME.matcher(name).matches()) {
      findings.add("name", name, "use 1 to 60 of the characters a-z 0-9 -");
    } else if (!isName(name)) {
      findings.add("name", name, "ends like the name of a later generation (-g and a number)");
    }
    if (!definition.source().equals(recordSet.name())) {
      findings.add(
          "source", definition.source(), "is not the record set \"" + recordSet.name() + '"');
    }
  }

  /** The usable key paths in their order. */
  private static Map<String, FieldPath> keyPaths(
      ViewDefinition definition, Schema schema, Findings findings) {
    if (definition.key().isEmpty() && definition.kind() == ViewDefinition.Kind.INDEX) {
      findings.add("key", "", "is missing; list the fields that rows are found by");
    }
    Map<String, FieldPath> paths = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < definition.key().size(); i++) {
      String place = "key[" + i + "]";
      String path = definition.key().get(i);
      if (!seen.add(path)) {
        findings.add(place, path, "is there twice; remove one");
        continue;
      }
      try {
        FieldPath found = FieldPath.ofKey(schema, path);
        if (FieldType.ofKey(found.leaf()).isEmpty()) {
          findings.add(place, path, unusable(found.leaf()));
        } else {
          paths.put(path, found);
        }
      } catch (FieldPath.UnresolvableException e) {
        findings.add(place, path, e.getMessage());
      }
    }
    return paths;
  }

  private static String unusable(Schema leaf) {
    String reason = "is " + FieldPath.typeOf(leaf) + ", which has no order to index by; ";
    return reason
        + switch (leaf.getType()) {
          case RECORD -> "name a field inside it, as in a.b";
          case MAP -> "name the key of an entry, as in a.key";
          default ->
              "use a string, int, long, float, double, decimal, boolean, enum, date,"
                  + " timestamp-millis or timestamp-micros";
        };
  }

  private static Map<String, FieldPath> includedPaths(
      ViewDefinition definition, Schema schema, Findings findings) {
    Map<String, FieldPath> paths = new HashMap<>();
    Set<String> seen = new HashSet<>();
    List<String> wanted =
        definition.include() == null
            ? ViewFields.includedPaths(definition, schema)
            : definition.include();
    for (int i = 0; i < wanted.size(); i++) {
      String place = "include[" + i + "]";
      String path = wanted.get(i);
      if (!seen.add(path)) {
        findings.add(place, path, "is there twice; remove one");
        continue;
      }
      try {
        FieldPath found = FieldPath.ofIncluded(schema, path);
        if (PlainValues.supports(found.leaf())) {
          paths.put(path, found);
        } else {
          findings.add(
              place,
              path,
              "is or holds a union of several types; list the other fields in include");
        }
      } catch (FieldPath.UnresolvableException e) {
        findings.add(place, path, e.getMessage());
      }
    }
    return paths;
  }

  private static void checkOneArray(
      Map<String, FieldPath> key, Findings findings, List<String> order) {
    String first = null;
    for (int i = 0; i < order.size(); i++) {
      FieldPath path = key.get(order.get(i));
      if (path == null || path.array() == null) {
        continue;
      }
      if (first == null) {
        first = path.array();
      } else if (!first.equals(path.array())) {
        findings.add(
            "key[" + i + "]",
            order.get(i),
            "fans out over \"%s\" besides \"%s\"; a view fans out over one array, make two views"
                .formatted(path.array(), first));
      }
    }
  }

  private static void checkShardKey(ViewDefinition definition, Findings findings) {
    List<String> key = definition.key();
    ViewDefinition.ShardKey shardKey = definition.shardKey();
    if (shardKey == null) {
      return;
    }
    if (definition.kind() == ViewDefinition.Kind.DOCUMENT) {
      findings.add("shardKey", "", "has no meaning in a document; remove it");
    } else if (shardKey instanceof ViewDefinition.ShardKey.Leading leading) {
      if (leading.length() < 0 || leading.length() > key.size()) {
        findings.add(
            "shardKey",
            leading.length(),
            "out of range; use 0 to %d, the number of key fields".formatted(key.size()));
      }
    } else if (shardKey instanceof ViewDefinition.ShardKey.Fields fields
        && !fields.names().equals(key.subList(0, Math.min(key.size(), fields.length())))) {
      findings.add(
          "shardKey",
          fields.names(),
          "is no leading run of the key in the same order; the key begins with "
              + key.subList(0, Math.min(key.size(), Math.max(1, fields.length()))));
    }
  }

  private static void checkOutputNames(
      ViewDefinition definition,
      Map<String, FieldPath> key,
      Map<String, FieldPath> included,
      Findings findings) {
    List<String> keyPaths = definition.key().stream().filter(key::containsKey).distinct().toList();
    List<String> includedPaths =
        included.keySet().stream()
            .filter(path -> !key.containsKey(path) || key.get(path).array() != null)
            .toList();
    includedPaths.stream()
        .filter(key::containsKey)
        .forEach(path -> findings.add("include", path, "the key fans it out; remove it here"));
    Map<String, String> names = ViewFields.names(keyPaths, includedPaths);
    Map<String, String> owners = new HashMap<>();
    new TreeMap<>(names)
        .forEach(
            (path, name) -> {
              String place = keyPaths.contains(path) ? "key" : "include";
              String owner = owners.putIfAbsent(name, path);
              if (owner != null) {
                findings.add(
                    place,
                    path,
                    "gives rows a field \"%s\", as \"%s\" does; leave one out"
                        .formatted(name, owner));
              }
              if (reserved(definition.target()).contains(name)) {
                findings.add(
                    place,
                    path,
                    ("gives rows a field \"%s\", a name kept for Indexview;"
                            + " list the other fields in include")
                        .formatted(name));
              }
            });
  }

  private static Set<String> reserved(Target target) {
    return target instanceof Target.DynamoDb ? RESERVED_IN_DYNAMODB : RESERVED;
  }

  private static void checkWhere(String where, Schema record, Findings findings) {
    String shown = where.length() <= MAX_SHOWN ? where : where.substring(0, MAX_SHOWN) + "...";
    boolean lines = where.strip().indexOf('\n') >= 0;
    for (FilterIssue issue : RecordFilter.issues(where, record)) {
      String place =
          lines
              ? "line %d, column %d: ".formatted(issue.line(), issue.column())
              : "column %d: ".formatted(issue.column());
      String remedy =
          issue.unknown() == null ? "" : "; " + Suggestions.remedy(issue.unknown(), issue.known());
      findings.add("where", shown, place + issue.message() + remedy);
    }
  }

  /** Problems as they are found. */
  static final class Findings {
    private final List<Problem> problems = new ArrayList<>();

    void add(String field, Object value, String message) {
      problems.add(new Problem(field, value.toString(), message));
    }

    List<Problem> problems() {
      return List.copyOf(problems);
    }
  }

  /** What can be honoured where a generic Connect sink writes rows by their keys. */
  private static final class ConnectTargetRules {
    private ConnectTargetRules() {}

    static void check(ViewDefinition definition, Findings findings) {
      if (definition.nulls() == ViewDefinition.Nulls.INDEX) {
        findings.add(
            "nulls",
            "index",
            "gives rows keys with null, which tables refuse; include the field instead, or remove it");
      }
      if (definition.naming() == ViewDefinition.Naming.HASH) {
        findings.add("naming", "hash", "the sink names the rows' place; remove naming");
      }
      if (definition.shardKey() != null && definition.kind() == ViewDefinition.Kind.INDEX) {
        findings.add("shardKey", "", "has no meaning to a generic Connect sink; remove it");
      }
      if (definition.kind() == ViewDefinition.Kind.DOCUMENT && !definition.key().isEmpty()) {
        findings.add(
            "key",
            definition.key(),
            "a document is found by its primary key here; use kind: index, or include the fields");
      }
    }

    /** Whether there is such a target. */
    static void checkKnown(Target.Connect target, Collection<String> known, Findings findings) {
      if (!known.contains(target.type())) {
        List<String> all = Stream.concat(Target.OWN.stream(), known.stream().sorted()).toList();
        findings.add(
            "target",
            target.type(),
            "no such target; %s; the app's connect.targets names others"
                .formatted(Suggestions.remedy(target.type(), all)));
      }
    }
  }
}
