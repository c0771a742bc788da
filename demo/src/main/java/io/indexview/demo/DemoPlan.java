package io.indexview.demo;

import io.indexview.demo.DataSet.Snapshot;
import io.indexview.local.pipeline.PipelineSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.avro.Schema;

/**
 * What a run of the main job does.
 *
 * @param views view definitions by file name
 * @param files root of the tree that goes into the bucket
 */
record DemoPlan(List<DataSet> dataSets, Map<String, String> views, Path files) {
  static final String FILE_VIEW = "file-metadata.yaml";

  private static final List<String> OWN_VIEWS =
      List.of(
          "airports-by-country.yaml",
          "airports-by-country-city.yaml",
          "airports-by-country-altitude.yaml",
          "airports-by-code.yaml",
          "people-by-org.yaml",
          FILE_VIEW);

  DemoPlan {
    dataSets = List.copyOf(dataSets);
    views = new LinkedHashMap<>(views);
  }

  /** The data that comes with the program. */
  static DemoPlan shipped(Path files) {
    DataSet airports =
        new DataSet(
            "airports",
            schema("airports/airport.avsc"),
            KeyTemplate.parse("/World/airport/{airportId}"),
            List.of(
                Snapshot.ofResource("airports/airports-1.ndjson.gz"),
                Snapshot.ofResource("airports/airports-2.ndjson.gz")));
    DataSet people =
        new DataSet(
            "people",
            schema("people/primary-db-value.avsc"),
            KeyTemplate.parse("/Corporate/people/{id}"),
            List.of(
                Snapshot.ofResource("people/people-1.ndjson"),
                Snapshot.ofResource("people/people-2.ndjson")));
    Map<String, String> views = new LinkedHashMap<>();
    OWN_VIEWS.forEach(name -> views.put(name, view(name)));
    return new DemoPlan(List.of(airports, people), views, files);
  }

  /** A view definition that comes with the program. */
  static String view(String name) {
    return text("views/" + name);
  }

  /** How many rounds of changes there are. */
  int rounds() {
    return dataSets.stream().mapToInt(set -> set.snapshots().size()).max().orElse(0);
  }

  /** The data set of a name that a view's {@code source} gives. */
  DataSet dataSet(String name) {
    return dataSets.stream()
        .filter(set -> set.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no data set " + name));
  }

  /** Writes the view definitions below a data directory, and returns where. */
  Path writeViews(Path dataDirectory) throws IOException {
    Path directory = Files.createDirectories(dataDirectory.resolve("views"));
    for (Map.Entry<String, String> view : views.entrySet()) {
      Files.writeString(directory.resolve(view.getKey()), view.getValue());
    }
    return directory;
  }

  PipelineSpec pipeline(Path viewsDir) {
    return new PipelineSpec(
        dataSets.stream().map(DataSet::spec).toList(),
        Pattern.compile(FileTree.KEY_PATTERN),
        viewsDir);
  }

  private static Schema schema(String resource) {
    return new Schema.Parser().parse(text(resource));
  }

  private static String text(String resource) {
    try (InputStream in = DemoPlan.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(resource + " is missing from the program", e);
    }
  }
}
