package io.indexview.views.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Takes a definition out of a tree, and notes what is wrong with its form. */
final class DefinitionReader {
  private static final Set<String> KV_ONLY =
      Set.of("layout", "primaryKeyForm", "maxElements", "prefix", "metaPrefix");
  private static final Set<String> DYNAMODB_ONLY = Set.of("table", "indexes", "swap");
  private static final List<String> KNOWN =
      List.of(
          "name",
          "source",
          "kind",
          "key",
          "shardKey",
          "include",
          "where",
          "nulls",
          "naming",
          "maxRowsPerRecord",
          "verification",
          "target",
          "layout",
          "primaryKeyForm",
          "maxElements",
          "prefix",
          "metaPrefix",
          "table",
          "indexes",
          "swap");

  private final TreeFields fields;

  DefinitionReader(JsonNode tree) {
    this.fields = new TreeFields(tree, "");
  }

  List<Problem> problems() {
    return fields.problems();
  }

  /**
   * Reads the definition. Where {@link #problems} has something on a property, the definition holds
   * a placeholder.
   *
   * @param strict whether unknown properties are a problem
   */
  ViewDefinition read(boolean strict) {
    if (strict) {
      fields.refuseUnknown(KNOWN);
    }
    String name = fields.text("name", null);
    String targetType = fields.text("target", null);
    return new ViewDefinition(
        name,
        fields.text("source", null),
        oneOf("kind", ViewDefinition.Kind.class, ViewDefinition.Kind.INDEX),
        fields.has("key") ? fields.texts("key") : List.of(),
        shardKey(),
        fields.has("include") ? fields.texts("include") : null,
        fields.has("where") ? fields.text("where", null) : null,
        oneOf("nulls", ViewDefinition.Nulls.class, ViewDefinition.Nulls.SKIP),
        oneOf("naming", ViewDefinition.Naming.class, ViewDefinition.Naming.PLAIN),
        fields.integer("maxRowsPerRecord", ViewDefinition.DEFAULT_MAX_ROWS_PER_RECORD),
        target(targetType, name),
        fields.has("verification") ? verificationInterval() : null);
  }

  private Duration verificationInterval() {
    TreeFields verification = fields.object("verification", "interval: 12h");
    if (verification == null) {
      return null;
    }
    verification.refuseUnknown(List.of("interval"));
    Optional<Duration> interval = VerificationInterval.of(verification.text("interval", null));
    if (interval.isEmpty() && !verification.hasProblem("interval")) {
      verification.problem(
          "interval",
          "is no interval; write whole minutes, hours or days, as 30m, 12h or 7d, or never");
    }
    return interval.orElse(null);
  }

  private ViewDefinition.ShardKey shardKey() {
    if (!fields.has("shardKey")) {
      return null;
    }
    return fields.isList("shardKey")
        ? new ViewDefinition.ShardKey.Fields(fields.texts("shardKey"))
        : new ViewDefinition.ShardKey.Leading(fields.integer("shardKey", 0));
  }

  private Target target(String type, String name) {
    switch (type) {
      case Target.DynamoDb.TYPE -> {
        refuseUnexpected(KV_ONLY, Target.Kv.TYPE);
        return new Target.DynamoDb(
            fields.text("table", name),
            fields.has("indexes") ? indexes() : List.of(),
            oneOf("swap", Target.Swap.class, Target.Swap.NEW_TABLE));
      }
      case Target.Kv.TYPE -> refuseUnexpected(DYNAMODB_ONLY, Target.DynamoDb.TYPE);
      default -> {
        if (type.matches(Target.Connect.TYPE_PATTERN)) {
          refuseUnexpected(KV_ONLY, Target.Kv.TYPE);
          refuseUnexpected(DYNAMODB_ONLY, Target.DynamoDb.TYPE);
          return new Target.Connect(type);
        }
        if (!fields.hasProblem("target")) {
          fields.problem("target", "is no name of a target; use " + Target.Connect.TYPE_RULE);
        }
      }
    }
    Target.KvRows layout = oneOf("layout", Target.KvRows.class, Target.KvRows.KEY_ONLY);
    if (layout != Target.KvRows.LIST && fields.has("maxElements")) {
      fields.problem("maxElements", "belongs to layout list; remove it");
    }
    return new Target.Kv(
        layout,
        oneOf("primaryKeyForm", Target.PrimaryKeyForm.class, Target.PrimaryKeyForm.PATH),
        fields.integer("maxElements", Target.Kv.DEFAULT_MAX_ELEMENTS),
        fields.text("prefix", Target.Kv.DEFAULT_PREFIX),
        fields.text("metaPrefix", Target.Kv.DEFAULT_META_PREFIX));
  }

  private void refuseUnexpected(Set<String> properties, String target) {
    properties.stream()
        .sorted()
        .filter(fields::has)
        .forEach(
            property ->
                fields.problem(property, "belongs to target %s; remove it".formatted(target)));
  }

  private List<Target.GlobalIndex> indexes() {
    List<Target.GlobalIndex> indexes = new ArrayList<>();
    for (TreeFields index : fields.objects("indexes")) {
      index.refuseUnknown(List.of("name", "partitionKey", "sortKey"));
      indexes.add(
          new Target.GlobalIndex(
              index.text("name", null),
              index.text("partitionKey", null),
              index.has("sortKey") ? index.text("sortKey", null) : null));
    }
    return indexes;
  }

  private <E extends Enum<E>> E oneOf(String property, Class<E> type, E otherwise) {
    if (!fields.has(property)) {
      return otherwise;
    }
    String text = fields.text(property, null);
    for (E constant : type.getEnumConstants()) {
      if (word(constant).equals(text)) {
        return constant;
      }
    }
    if (!fields.hasProblem(property)) {
      List<String> words =
          Arrays.stream(type.getEnumConstants()).map(DefinitionReader::word).toList();
      fields.problem(property, "no such " + property + "; " + Suggestions.remedy(text, words));
    }
    return otherwise;
  }

  /** An enum constant as definitions spell it. */
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
