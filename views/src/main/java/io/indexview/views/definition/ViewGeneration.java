package io.indexview.views.definition;

import io.indexview.schemas.Topics;
import io.indexview.views.filter.RecordFilter;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.Schema;

/**
 * One immutable build of a view: everything that deriving, storing and reading its rows depends on.
 *
 * @param uid of the view in its installation, as the uid of its states; empty: not said, and then
 *     no sink takes the rows of another installation for others
 * @param number from 1; never used twice for a view
 * @param encodingVersion of derivation and encoding; raised when a release changes either
 * @param recordSet with the schema the generation reads records with
 * @param viewTopic where its rows are published
 * @param storeName the index name (KV store) or table name (DynamoDB) of this generation
 */
public record ViewGeneration(
    String uid,
    int number,
    int encodingVersion,
    ViewDefinition definition,
    RecordSet recordSet,
    String viewTopic,
    String storeName) {
  /** The newest encoding version this release knows. */
  public static final int ENCODING_VERSION = 1;

  /** Property of a view topic's key schema, inside {@value #CONNECT_PARAMETERS}. */
  public static final String PARAMETER = "indexview.generation";

  /** Avro property that converters carry over to Connect schema parameters. */
  public static final String CONNECT_PARAMETERS = "connect.parameters";

  public ViewGeneration {
    Objects.requireNonNull(uid, "uid");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(viewTopic, "viewTopic");
    Objects.requireNonNull(storeName, "storeName");
  }

  /**
   * Freezes a definition. The generation has no uid yet.
   *
   * @throws InvalidViewException if it is not valid for the record set
   */
  public static ViewGeneration freeze(
      ViewDefinition definition, int number, RecordSet recordSet, Topics topics) {
    // Who serves the target is asked when a definition is submitted.
    KnownTargets any = new KnownTargets(Set.of(), Set.of(definition.target().type()));
    new ViewValidator(any).validate(definition, recordSet);
    return new ViewGeneration(
        "",
        number,
        ENCODING_VERSION,
        definition,
        recordSet,
        topics.view(definition.target().type(), definition.name(), number),
        StoreNaming.of(definition, recordSet.schema(), number));
  }

  /** Returns a copy for the view that has this uid. */
  public ViewGeneration withUid(String of) {
    return new ViewGeneration(
        of, number, encodingVersion, definition, recordSet, viewTopic, storeName);
  }

  /** The store name of the view's first generation, under which its metadata lies. */
  public String baseName() {
    return StoreNaming.base(definition, recordSet.schema());
  }

  public String view() {
    return definition.name();
  }

  public String sourceTopic() {
    return recordSet.topic();
  }

  /** The fields of the rows. */
  public ViewFields fields() {
    return ViewFields.of(definition, recordSet);
  }

  /** The top-level fields of a record that deriving its rows reads. */
  public Set<String> fieldsRead() {
    ViewFields fields = fields();
    Set<String> read = new HashSet<>();
    fields.key().forEach(field -> read.add(FieldPath.top(field.path())));
    fields.values().forEach(field -> read.add(FieldPath.top(field.path())));
    if (definition.where() != null) {
      read.addAll(RecordFilter.fields(definition.where(), recordSet.schema()));
    }
    return read;
  }

  /** The generation as JSON; the same text for an equal generation, also after reading it back. */
  public String toJson() {
    return GenerationJson.write(this);
  }

  /**
   * Reads {@link #toJson} back. Fields that this release does not know are ignored.
   *
   * @throws IllegalArgumentException if it is no generation, or of a newer encoding version
   */
  public static ViewGeneration fromJson(String json) {
    return GenerationJson.read(json);
  }

  /**
   * The generation that a view topic's Avro key schema carries.
   *
   * @throws IllegalArgumentException if it carries none, or one that cannot be read
   */
  public static ViewGeneration ofKeySchema(Schema keySchema) {
    if (keySchema.getObjectProp(CONNECT_PARAMETERS) instanceof Map<?, ?> parameters
        && parameters.get(PARAMETER) instanceof String json) {
      return fromJson(json);
    }
    throw new IllegalArgumentException(
        "schema %s carries no view generation (property %s, %s)"
            .formatted(keySchema.getFullName(), CONNECT_PARAMETERS, PARAMETER));
  }
}
