package io.indexview.demo;

import io.indexview.demo.DataSet.Snapshot;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/** A plan made of the user's own records and views; every problem of the input is found at once. */
final class OwnData {
  private final List<Path> records;
  private final Path schemaFile;
  private final String key;
  private final Path viewsDir;
  private final List<String> problems = new ArrayList<>();

  OwnData(List<Path> records, Path schemaFile, String key, Path viewsDir) {
    this.records = records;
    this.schemaFile = schemaFile;
    this.key = key;
    this.viewsDir = viewsDir;
  }

  /**
   * Reads the input.
   *
   * @throws InputException with every problem, a line each
   */
  DemoPlan plan(Path files) {
    records.stream()
        .filter(file -> !Files.isReadable(file) || Files.isDirectory(file))
        .forEach(
            file ->
                problems.add(
                    "--records %s: no readable file; name one of JSON, a record a line"
                        .formatted(file)));
    Schema schema = schema();
    KeyTemplate template = key();
    Map<String, String> views = views();
    TreeSet<String> sources = sources(views);
    boolean ownFileView = sources.remove(PipelineSpec.FILES);
    if (sources.size() > 1) {
      problems.add(
          ("--views %s: the views name several sources, %s; there is one record set beside %s, so"
                  + " give them all the same source")
              .formatted(viewsDir, sources, PipelineSpec.FILES));
    }
    endIfWrong();
    if (!ownFileView) {
      views.put(DemoPlan.FILE_VIEW, DemoPlan.view(DemoPlan.FILE_VIEW));
    }
    String name = sources.isEmpty() ? schema.getName().toLowerCase(Locale.ROOT) : sources.first();
    validate(views, name, schema);
    records.forEach(file -> checkRecords(file, schema, template));
    endIfWrong();
    List<Snapshot> snapshots = records.stream().map(Snapshot::ofFile).toList();
    return new DemoPlan(List.of(new DataSet(name, schema, template, snapshots)), views, files);
  }

  private void endIfWrong() {
    if (!problems.isEmpty()) {
      throw new InputException(String.join(System.lineSeparator(), problems), null);
    }
  }

  /** What a pipe gives once is left for when it is needed. */
  private void checkRecords(Path file, Schema schema, KeyTemplate template) {
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (JsonLines lines = Snapshot.ofFile(file).open(schema)) {
      SnapshotLoader.check(lines, template);
    } catch (InputException e) {
      problems.add(e.getMessage());
    } catch (IOException e) {
      problems.add("--records %s: cannot be read: %s".formatted(file, e));
    }
  }

  private Schema schema() {
    try {
      Schema schema = new Schema.Parser().parse(Files.readString(schemaFile));
      if (schema.getType() == Schema.Type.RECORD) {
        return schema;
      }
      problems.add(
          "--schema %s: type %s; give a record schema".formatted(schemaFile, schema.getType()));
    } catch (IOException e) {
      problems.add(
          "--schema %s: no readable file; name one with an Avro schema".formatted(schemaFile));
    } catch (AvroRuntimeException e) {
      problems.add("--schema %s: no Avro schema: %s".formatted(schemaFile, e.getMessage()));
    }
    return null;
  }

  private KeyTemplate key() {
    try {
      return KeyTemplate.parse(key);
    } catch (IllegalArgumentException e) {
      problems.add("--key: " + e.getMessage());
      return null;
    }
  }

  private Map<String, String> views() {
    Map<String, String> views = new LinkedHashMap<>();
    try (Stream<Path> entries = Files.list(viewsDir)) {
      for (Path file : entries.filter(OwnData::isView).sorted().toList()) {
        views.put(file.getFileName().toString(), Files.readString(file));
      }
    } catch (IOException | UncheckedIOException e) {
      problems.add(
          "--views %s: no readable directory; name one with view definitions".formatted(viewsDir));
      return views;
    }
    if (views.isEmpty()) {
      problems.add(
          "--views %s: no view in there; a view is a .yaml, .yml or .json file"
              .formatted(viewsDir));
    }
    return views;
  }

  private static void validate(Map<String, String> views, String name, Schema schema) {
    Map<String, RecordSet> sets = new HashMap<>();
    sets.put(name, recordSet(name, schema));
    sets.put(PipelineSpec.FILES, recordSet(PipelineSpec.FILES, ControlSchemas.FILE_RECORD));
    try {
      new ViewDefinitionParser().parseAll(views, sets);
    } catch (InvalidViewException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private static RecordSet recordSet(String name, Schema schema) {
    List<String> unique = name.equals(PipelineSpec.FILES) ? List.of("objectKey") : List.of();
    return new RecordSet(name, name, RecordFormat.ENVELOPE, unique, schema);
  }

  private static boolean isView(Path file) {
    return file.getFileName().toString().matches("(?i).+\\.(ya?ml|json)")
        && Files.isRegularFile(file);
  }

  private TreeSet<String> sources(Map<String, String> views) {
    TreeSet<String> sources = new TreeSet<>();
    ViewDefinitionParser parser = new ViewDefinitionParser();
    views.forEach(
        (name, text) -> {
          try {
            ViewDefinition view = parser.parse(name, text);
            sources.add(view.source());
          } catch (InvalidViewException e) {
            problems.add(e.getMessage());
          }
        });
    return sources;
  }
}
