package io.indexview.local.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.local.StackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/**
 * What a pipeline carries.
 *
 * @param recordSets in the KV store
 * @param fileKeys how user and file are read out of the object keys of the stack's bucket: groups
 *     {@code uploadUser} and {@code fileId}
 * @param fileAttributes what the file records have that takes a read of each object, as the S3
 *     source's {@code s3.attributes}
 * @param viewsDir the view definitions, one file each
 */
public record PipelineSpec(
    List<RecordSetSpec> recordSets, Pattern fileKeys, String fileAttributes, Path viewsDir) {
  /** The record set of the bucket's files, as in the views' {@code source}. */
  public static final String FILES = "files";

  /** {@link #fileAttributes} of a stack that is to be tried. */
  public static final String FILE_ATTRIBUTES = "user_metadata,content_type";

  private static final String FILE = "pipeline.json";
  private static final Pattern VIEW_FILE = Pattern.compile("(?i).+\\.(ya?ml|json)");
  private static final ObjectMapper JSON = new ObjectMapper();

  public PipelineSpec {
    recordSets = List.copyOf(recordSets);
  }

  /** Objects are not read. */
  public PipelineSpec(List<RecordSetSpec> recordSets, Pattern fileKeys, Path viewsDir) {
    this(recordSets, fileKeys, "", viewsDir);
  }

  /** Returns a copy with other {@link #fileAttributes}. */
  public PipelineSpec withFileAttributes(String attributes) {
    return new PipelineSpec(recordSets, fileKeys, attributes, viewsDir);
  }

  /** Whether there is a view definition; the app refuses a directory without one. */
  boolean hasViews() {
    return !viewFiles().isEmpty();
  }

  /** The view definitions, by name. */
  List<Path> viewFiles() {
    if (!Files.isDirectory(viewsDir)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(viewsDir)) {
      return files
          .filter(file -> VIEW_FILE.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new StackException("cannot read " + viewsDir + ": " + e.getMessage(), e);
    }
  }

  /** Keeps the specification with a stack's data, so that a later start can go on with it. */
  void save(Path dataDirectory) {
    ObjectNode root = JSON.createObjectNode();
    root.put("viewsDir", viewsDir.toString());
    root.put("fileKeys", fileKeys.pattern());
    root.put("fileAttributes", fileAttributes);
    ArrayNode sets = root.putArray("recordSets");
    for (RecordSetSpec set : recordSets) {
      ObjectNode node = sets.addObject().put("name", set.name());
      node.put("schema", set.schema().toString());
      set.keyPrefix().forEach(node.putArray("keyPrefix")::add);
      set.settings().forEach(node.putObject("settings")::put);
    }
    Path file = dataDirectory.resolve(FILE);
    try {
      JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    } catch (IOException e) {
      throw new StackException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  /** The specification that the stack of a data directory had last; empty if it had none. */
  public static Optional<PipelineSpec> saved(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      JsonNode root = JSON.readTree(file.toFile());
      List<RecordSetSpec> sets = new ArrayList<>();
      for (JsonNode set : root.path("recordSets")) {
        List<String> prefix = new ArrayList<>();
        set.path("keyPrefix").forEach(component -> prefix.add(component.asText()));
        Schema schema = new Schema.Parser().parse(set.path("schema").asText());
        Map<String, String> settings = new HashMap<>();
        set.path("settings")
            .properties()
            .forEach(setting -> settings.put(setting.getKey(), setting.getValue().asText()));
        sets.add(new RecordSetSpec(set.path("name").asText(), prefix, schema, settings));
      }
      Pattern fileKeys = Pattern.compile(root.path("fileKeys").asText());
      return Optional.of(
          new PipelineSpec(
              sets,
              fileKeys,
              root.path("fileAttributes").asText(),
              Path.of(root.path("viewsDir").asText())));
    } catch (IOException | RuntimeException e) {
      throw new StackException(
          "%s cannot be read: %s; remove the data directory to start anew"
              .formatted(file, e.getMessage()),
          e);
    }
  }
}
