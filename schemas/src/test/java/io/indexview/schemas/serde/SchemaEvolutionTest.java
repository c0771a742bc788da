package io.indexview.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Data written by any release must stay readable. Each folder under {@code released} holds the
 * schemas of one release, named by its version; a release adds a folder and changes none.
 */
class SchemaEvolutionTest {
  private static final Path CURRENT = Path.of("src/main/avro");
  private static final Path RELEASED = Path.of("src/test/resources/released");

  @TestFactory
  List<DynamicTest> readsDataOfEveryRelease() {
    return files(RELEASED)
        .map(
            released ->
                dynamicTest(
                    RELEASED.relativize(released).toString(),
                    () ->
                        assertThat(
                                problems(
                                    parse(CURRENT.resolve(released.getFileName())),
                                    parse(released)))
                            .isEmpty()))
        .toList();
  }

  @TestFactory
  List<DynamicTest> givesEveryLaterFieldAndEveryEnumADefault() {
    return files(CURRENT)
        .map(
            current ->
                dynamicTest(
                    current.getFileName().toString(),
                    () ->
                        assertThat(withoutDefault(parse(current), firstRelease(current)))
                            .isEmpty()))
        .toList();
  }

  @Test
  void bundlesEverySchemaOfTheFolder() {
    Set<String> bundled =
        Stream.of(
                ControlSchemas.SOURCE,
                ControlSchemas.FILE_RECORD,
                ControlSchemas.STRING_RECORD,
                ControlSchemas.BYTES_RECORD,
                ControlSchemas.SOURCE_STATE,
                ControlSchemas.VIEW_DEFINITION,
                ControlSchemas.VIEW_GENERATION,
                ControlSchemas.VIEW_STATE,
                ControlSchemas.VIEW_PROGRESS,
                ControlSchemas.CONTROLLER_STATE,
                ControlSchemas.VIEW_TOPIC_CONTROL,
                ControlSchemas.RECORD_SET,
                ControlSchemas.SOURCE_REQUEST,
                ControlSchemas.VIEW_VERIFICATION,
                ControlSchemas.VIEW_REPAIR,
                ControlSchemas.DEAD_LETTER)
            .map(schema -> schema.getName() + ".avsc")
            .collect(Collectors.toSet());

    assertThat(files(CURRENT).map(file -> file.getFileName().toString()))
        .containsExactlyInAnyOrderElementsOf(bundled);
  }

  @Test
  void seesWhatBreaksReaders() {
    Schema released = SchemaBuilder.record("A").fields().requiredInt("x").endRecord();
    Schema broken =
        SchemaBuilder.record("A")
            .fields()
            .requiredInt("x")
            .requiredInt("y")
            .name("e")
            .type()
            .enumeration("E")
            .symbols("B")
            .noDefault()
            .endRecord();

    assertThat(problems(broken, released)).isNotEmpty();
    assertThat(withoutDefault(broken, released)).containsExactly("A.y", "A.e", "enum E");
    assertThat(withoutDefault(broken, null)).containsExactly("enum E");
  }

  private static List<String> problems(Schema reader, Schema writer) {
    SchemaCompatibility.SchemaCompatibilityResult result =
        SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getResult();
    return result.getCompatibility() == SchemaCompatibilityType.COMPATIBLE
        ? List.of()
        : result.getIncompatibilities().stream().map(Object::toString).toList();
  }

  /** Fields that came after the first release, and enums, that a reader cannot fill in. */
  private static List<String> withoutDefault(Schema schema, Schema first) {
    Map<String, Schema> before = first == null ? Map.of() : named(first);
    return named(schema).values().stream()
        .flatMap(type -> withoutDefault(type, before, first == null))
        .toList();
  }

  private static Stream<String> withoutDefault(
      Schema type, Map<String, Schema> before, boolean isFirst) {
    if (type.getType() == Schema.Type.ENUM) {
      return type.getEnumDefault() == null ? Stream.of("enum " + type.getName()) : Stream.empty();
    }
    Schema earlier = before.get(type.getFullName());
    // A type that is wholly new brings its own first fields.
    if (type.getType() != Schema.Type.RECORD || isFirst || earlier == null) {
      return Stream.empty();
    }
    return type.getFields().stream()
        .filter(field -> earlier.getField(field.name()) == null && !field.hasDefaultValue())
        .map(field -> type.getName() + "." + field.name());
  }

  private static Map<String, Schema> named(Schema schema) {
    Map<String, Schema> named = new LinkedHashMap<>();
    collect(schema, named);
    return named;
  }

  private static void collect(Schema schema, Map<String, Schema> named) {
    Consumer<Schema> deeper = part -> collect(part, named);
    switch (schema.getType()) {
      case RECORD -> {
        if (named.putIfAbsent(schema.getFullName(), schema) == null) {
          schema.getFields().forEach(field -> deeper.accept(field.schema()));
        }
      }
      case ENUM, FIXED -> named.put(schema.getFullName(), schema);
      case ARRAY -> deeper.accept(schema.getElementType());
      case MAP -> deeper.accept(schema.getValueType());
      case UNION -> schema.getTypes().forEach(deeper);
      default -> {
        // A primitive has no parts.
      }
    }
  }

  /** The schema as it was first released; null if it was not yet. */
  private static Schema firstRelease(Path current) {
    return files(RELEASED)
        .filter(file -> file.getFileName().equals(current.getFileName()))
        .findFirst()
        .map(SchemaEvolutionTest::parse)
        .orElse(null);
  }

  /** In the order of releases, as long as no part of a version reaches four digits. */
  private static Stream<Path> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".avsc"))
          .sorted(Comparator.comparing(SchemaEvolutionTest::sortable))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sortable(Path file) {
    return Stream.of(file.getParent().getFileName().toString().split("\\."))
            .map(part -> "000".substring(Math.min(3, part.length())) + part)
            .collect(Collectors.joining("."))
        + "/"
        + file.getFileName();
  }

  private static Schema parse(Path file) {
    try {
      Schema.Parser parser = new Schema.Parser();
      if (file.endsWith("ControllerStateRecord.avsc")) {
        // Written by the application for itself, of what others write.
        parser.addTypes(List.of(ControlSchemas.VIEW_DEFINITION, ControlSchemas.VIEW_GENERATION));
      }
      return parser.parse(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
