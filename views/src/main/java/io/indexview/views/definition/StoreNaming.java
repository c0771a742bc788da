package io.indexview.views.definition;

import io.indexview.schemas.hash.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.apache.avro.Schema;

/** How a generation's rows are named in the store. */
final class StoreNaming {
  /** What later generations append to the name; no name may end so by itself. */
  static final Pattern GENERATION_SUFFIX = Pattern.compile(".*-g\\d+");

  private StoreNaming() {}

  /** The name of the first generation. */
  static String base(ViewDefinition definition, Schema recordSchema) {
    if (definition.target() instanceof Target.DynamoDb dynamoDb) {
      return dynamoDb.table();
    }
    return definition.naming() == ViewDefinition.Naming.HASH
        ? hash(definition, recordSchema)
        : definition.name();
  }

  static String of(ViewDefinition definition, Schema recordSchema, int generation) {
    String base = base(definition, recordSchema);
    boolean fixed =
        definition.target() instanceof Target.DynamoDb dynamoDb
            && dynamoDb.swap() == Target.Swap.IN_PLACE;
    return fixed || generation == 1 ? base : base + "-g" + generation;
  }

  private static String hash(ViewDefinition definition, Schema recordSchema) {
    String named = recordSchema.getFullName() + '\n' + String.join("\n", definition.key());
    return Sha256.text(named.getBytes(StandardCharsets.UTF_8));
  }
}
