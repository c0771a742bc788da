package io.indexview.views;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.avro.Schema;

/** Record sets and definitions that several tests use. */
public final class Samples {
  public static final Schema PERSON = schema("person.avsc");
  public static final RecordSet PEOPLE =
      new RecordSet("people", "indexview.changes.people", RecordFormat.ENVELOPE, List.of(), PERSON);
  public static final RecordSet FILES =
      new RecordSet(
          "files",
          "indexview.changes.files",
          RecordFormat.ENVELOPE,
          List.of("objectKey"),
          schema("file.avsc"));

  private Samples() {}

  public static ViewDefinition definition(String yaml) {
    return new ViewDefinitionParser().parse("test.yaml", yaml);
  }

  /** A frozen view named {@code v} on {@link #PEOPLE}. */
  public static ViewGeneration people(String yaml) {
    return freeze(PEOPLE, yaml);
  }

  public static ViewGeneration freeze(RecordSet recordSet, String yaml) {
    String head = "name: v\nsource: " + recordSet.name() + "\n";
    return ViewGeneration.freeze(
        definition(head + yaml), 1, recordSet, new Topics(Topics.DEFAULT_PREFIX));
  }

  private static Schema schema(String resource) {
    try (InputStream in = Samples.class.getResourceAsStream("/" + resource)) {
      return new Schema.Parser().parse(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
