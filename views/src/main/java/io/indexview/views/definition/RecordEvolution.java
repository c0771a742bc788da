package io.indexview.views.definition;

import io.indexview.schemas.change.DebeziumTypes;
import io.indexview.views.encoding.PlainValues;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Resolver;
import org.apache.avro.Schema;

/**
 * What becomes of views when records come to be written with another schema than the one that their
 * generations were frozen with, and go on to read them with.
 *
 * <p>It is what Avro's resolution makes of the two schemas: a field that is new is passed over; one
 * that is gone has its default; numbers are widened. Beyond that, the name of the record type does
 * not count, and a top-level field that was renamed is found under its new name if the new schema
 * gives the old one as an alias.
 */
public final class RecordEvolution {
  private RecordEvolution() {}

  /**
   * A field of the reader that records of the writer, or some of them, do not give.
   *
   * @param field top-level field of the reader
   * @param reason what is the matter, as said of the records: <i>lack "org"</i>
   * @param misread whether Avro gives a value all the same, which is another one than was written
   */
  public record Gap(String field, String reason, boolean misread) {}

  /**
   * Why a generation cannot go on as it is when records are written with a schema: a problem for
   * each property that names a field whose values could not be read, or not all of them. Records
   * that are concerned would have no rows, and make the view DEGRADED. Empty: it goes on.
   */
  public static List<Problem> problems(ViewGeneration generation, Schema writer) {
    List<Problem> problems = new ArrayList<>();
    Set<String> read = generation.fieldsRead();
    for (Gap gap : gaps(writer, generation.recordSet().schema(), read::contains)) {
      Problem problem = uses(generation, gap.field());
      problems.add(
          new Problem(
              problem.field(),
              problem.value(),
              "records of the schema %s %s".formatted(writer.getFullName(), gap.reason())));
    }
    return problems;
  }

  /** Where a definition first uses a field, without a message. */
  private static Problem uses(ViewGeneration generation, String field) {
    ViewFields fields = generation.fields();
    Stream<String> included = fields.values().stream().map(ViewFields.ValueField::path);
    List<String> key = generation.definition().key();
    return IntStream.range(0, key.size())
        .filter(i -> FieldPath.top(key.get(i)).equals(field))
        .mapToObj(i -> new Problem("key[" + i + "]", key.get(i), ""))
        .findFirst()
        .or(
            () ->
                included
                    .filter(path -> FieldPath.top(path).equals(field))
                    .map(path -> new Problem("include", path, ""))
                    .findFirst())
        .orElseGet(() -> new Problem("where", field, ""));
  }

  /**
   * The reader's schema as it reads records of a writer.
   *
   * @param wanted which of its top-level fields
   */
  public static Schema readerFor(Schema writer, Schema reader, Predicate<String> wanted) {
    return Schema.createRecord(
        writer.getName(),
        reader.getDoc(),
        writer.getNamespace(),
        reader.isError(),
        reader.getFields().stream()
            .filter(field -> wanted.test(field.name()))
            .map(field -> findable(field, writer))
            .toList());
  }

  /** The field with the name under which the writer has it among its aliases. */
  private static Schema.Field findable(Schema.Field field, Schema writer) {
    Schema.Field copy = new Schema.Field(field, field.schema());
    boolean known =
        Stream.concat(Stream.of(field.name()), field.aliases().stream())
            .anyMatch(name -> writer.getField(name) != null);
    if (!known) {
      writer.getFields().stream()
          .filter(renamed -> renamed.aliases().contains(field.name()))
          .findFirst()
          .ifPresent(renamed -> copy.addAlias(renamed.name()));
    }
    return copy;
  }

  /**
   * The fields of a reader's record schema that records of a writer do not give.
   *
   * @param wanted which of its top-level fields are looked at
   */
  public static List<Gap> gaps(Schema writer, Schema reader, Predicate<String> wanted) {
    List<Gap> gaps = new ArrayList<>();
    for (String field : reader.getFields().stream().map(Schema.Field::name).toList()) {
      if (wanted.test(field)) {
        Schema alone = readerFor(writer, reader, field::equals);
        Resolver.Action action = Resolver.resolve(Schema.applyAliases(writer, alone), alone);
        Set<Resolver.Action> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        failure(action, field, seen).ifPresent(gaps::add);
      }
    }
    return gaps;
  }

  private static Optional<Gap> failure(
      Resolver.Action action, String field, Set<Resolver.Action> seen) {
    if (!seen.add(action)) {
      return Optional.empty();
    }
    if (action instanceof Resolver.ErrorAction error) {
      return Optional.of(new Gap(field, reason(error, field), false));
    }
    if (action instanceof Resolver.EnumAdjust symbols) {
      return symbols(symbols, field).map(reason -> new Gap(field, reason, false));
    }
    if (action.type == Resolver.Action.Type.DO_NOTHING
        || action.type == Resolver.Action.Type.PROMOTE) {
      return meaning(action, field).map(reason -> new Gap(field, reason, true));
    }
    Stream<Resolver.Action> parts = Stream.empty();
    if (action instanceof Resolver.RecordAdjust record) {
      parts = Stream.of(record.fieldActions);
    } else if (action instanceof Resolver.WriterUnion union) {
      parts = Stream.of(union.actions);
    } else if (action instanceof Resolver.ReaderUnion union) {
      parts = Stream.of(union.actualAction);
    } else if (action instanceof Resolver.Container container) {
      parts = Stream.of(container.elementAction);
    }
    return parts.flatMap(part -> failure(part, field, seen).stream()).findFirst();
  }

  /**
   * Why a field has another meaning for the reader; empty: it has the same. The same bytes may mean
   * another number or time: Avro does not look at logical types.
   */
  private static Optional<String> meaning(Resolver.Action action, String field) {
    Optional<String> found = meaning(action.writer);
    Optional<String> wanted = meaning(action.reader);
    // Bytes are read as text, and text as bytes, but digits are neither.
    boolean isPromoted = action.writer.getType() != action.reader.getType() && isBytes(action);
    boolean isSame =
        isPromoted
            ? found.equals(wanted)
            : found.isEmpty() || wanted.isEmpty() || found.equals(wanted);
    return isSame
        ? Optional.empty()
        : Optional.of(
            "have \"%s\" as %s, where the view was made for %s"
                .formatted(
                    field,
                    found.orElseGet(() -> typeName(action.writer)),
                    wanted.orElseGet(() -> typeName(action.reader))));
  }

  private static boolean isBytes(Resolver.Action action) {
    return action.writer.getType() == Schema.Type.BYTES
        || action.reader.getType() == Schema.Type.BYTES;
  }

  /** Empty: nothing is said of it. */
  private static Optional<String> meaning(Schema schema) {
    String connectName = schema.getProp(DebeziumTypes.CONNECT_NAME);
    Optional<LogicalType> type =
        Optional.ofNullable(schema.getLogicalType())
            .or(() -> DebeziumTypes.logicalType(connectName));
    return type.map(
            logical ->
                logical instanceof LogicalTypes.Decimal decimal
                    ? "decimal of scale " + decimal.getScale()
                    : logical.getName())
        .or(() -> Optional.ofNullable(connectName).filter(DebeziumTypes::isTime));
  }

  private static String reason(Resolver.ErrorAction error, String field) {
    if (error.error == Resolver.ErrorAction.ErrorType.MISSING_REQUIRED_FIELD) {
      String missing =
          error.reader.getFields().stream()
              .filter(
                  wanted ->
                      error.writer.getField(wanted.name()) == null && !wanted.hasDefaultValue())
              .map(Schema.Field::name)
              .collect(Collectors.joining("\", \""));
      boolean inside = error.reader.getField(field) == null || !missing.equals(field);
      return "lack \"%s\"%s, which has no default"
          .formatted(missing, inside ? " in \"" + field + '"' : "");
    }
    String found = typeName(error.writer);
    String wanted = typeName(error.reader);
    return found.equals(wanted)
        ? "have \"%s\" as another %s".formatted(field, found)
        : "have \"%s\" as %s, where the view was made for %s".formatted(field, found, wanted);
  }

  private static Optional<String> symbols(Resolver.EnumAdjust symbols, String field) {
    List<String> unknown =
        IntStream.range(0, symbols.adjustments.length)
            .filter(i -> symbols.adjustments[i] < 0)
            .mapToObj(symbols.writer.getEnumSymbols()::get)
            .toList();
    return unknown.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "can have \"%s\" as %s, which the view does not know"
                .formatted(field, String.join(" or ", unknown)));
  }

  private static String typeName(Schema schema) {
    Schema other = PlainValues.withoutNull(schema);
    String logical = other.getProp("logicalType");
    return switch (other.getType()) {
      case UNION -> "union of several types";
      case RECORD, ENUM, FIXED -> other.getType().getName() + " " + other.getFullName();
      default -> logical == null ? other.getType().getName() : logical;
    };
  }
}
