package io.indexview.local.pipeline;

import io.indexview.kvstore.KvKey;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Connector;

/**
 * Record sets of one's own for a local stack: a properties file with keys of the sources ({@code
 * record.sets}, {@code record.set.NAME.…}, {@code s3.key.pattern}, {@code s3.attributes}) and
 * {@code views.dir} of the app. Paths in it count from its directory. For one reading.
 */
public final class RecordSetsFile {
  private static final String FILE = "record-sets.properties";
  private static final String RECORD_SETS = "record.sets";
  private static final String KEY_PATTERN = "s3.key.pattern";
  private static final String ATTRIBUTES = "s3.attributes";
  private static final String VIEWS = "views.dir";
  private static final String PREFIX = "prefix";
  private static final String SCHEMA = "schema";
  private static final String SCHEMA_FILE = "schema.file";
  private static final String STORE_SCHEMAS = "store.schemas";
  private static final List<String> OF_RECORD_SET =
      List.of(
          PREFIX,
          SCHEMA,
          SCHEMA_FILE,
          RecordSetSpec.VALUE_FORMAT,
          STORE_SCHEMAS,
          RecordSetSpec.MINOR_KEYS);
  private static final Pattern RECORD_SET_KEY =
      Pattern.compile("record\\.set\\.([A-Za-z0-9_-]+)\\.(.+)");

  /** Names as app and server take them; sources take more. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,60}");

  /** What the stack gives its sources; nobody is asked when they check the rest. */
  private static final Map<String, String> GIVEN =
      Map.of(
          "source.name", "local",
          "kvstore.uri", "remote://localhost:1",
          "index.dir", "index",
          "kafka.bootstrap.servers", "localhost:1",
          "schema.registry.url", "http://localhost:1",
          "s3.topic", "files",
          "sqs.queue.url", "http://localhost:1/queue",
          "aws.region", "local",
          "preflight.timeout.ms", "0");

  private final Path file;
  private final Map<String, String> values = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();

  private RecordSetsFile(Path file) {
    this.file = file;
  }

  /**
   * Reads the file.
   *
   * @param path the file, or the directory of a {@value #FILE}
   * @param dataDirectory of the stack, which may have been there before
   * @throws InvalidConfigException naming everything that is wrong
   */
  public static PipelineSpec read(Path path, Path dataDirectory) {
    Path file = Files.isDirectory(path) ? path.resolve(FILE) : path;
    RecordSetsFile reading = new RecordSetsFile(file.toAbsolutePath().normalize());
    reading.load();
    reading.checkKeys();
    reading.resolvePaths();
    reading.askSources();
    reading.endIfWrong();
    PipelineSpec spec = reading.spec(dataDirectory);
    reading.checkViews(spec);
    reading.checkDataDirectory(spec, dataDirectory);
    reading.endIfWrong();
    return spec;
  }

  private void endIfWrong() {
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("--record-sets " + file, problems);
    }
  }

  private void load() {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (NoSuchFileException e) {
      throw new InvalidConfigException(
          "--record-sets " + file,
          List.of(
              "there is no such file; name a properties file with %s, or a directory with a %s"
                  .formatted(RECORD_SETS, FILE)));
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidConfigException(
          "--record-sets " + file,
          List.of("it cannot be read as a properties file: %s".formatted(e)));
    }
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
  }

  private void checkKeys() {
    List<String> names = names();
    for (String key : values.keySet()) {
      Matcher ofSet = RECORD_SET_KEY.matcher(key);
      if (ofSet.matches() && OF_RECORD_SET.contains(ofSet.group(2))) {
        if (!names.contains(ofSet.group(1))) {
          problems.add("%s: %s does not name %s".formatted(key, RECORD_SETS, ofSet.group(1)));
        }
      } else if (!List.of(RECORD_SETS, KEY_PATTERN, ATTRIBUTES, VIEWS).contains(key)) {
        problems.add(
            "%s: no such key here; use %s, record.set.NAME.(%s), %s, %s or %s"
                .formatted(
                    key,
                    RECORD_SETS,
                    String.join("|", OF_RECORD_SET),
                    KEY_PATTERN,
                    ATTRIBUTES,
                    VIEWS));
      }
    }
    names.stream()
        .filter(name -> !NAME.matcher(name).matches())
        .map(
            name ->
                "%s: \"%s\" is not a name of a record set; use 1 to 60 of a-z 0-9 -"
                    .formatted(RECORD_SETS, name))
        .forEach(problems::add);
    if (names.contains(PipelineSpec.FILES)) {
      problems.add(
          "%s: %s is the record set of the bucket's files; choose another name"
              .formatted(RECORD_SETS, PipelineSpec.FILES));
    }
    if (!values.containsKey(RECORD_SETS) && !values.containsKey(KEY_PATTERN)) {
      problems.add("%s: is missing; name a record set".formatted(RECORD_SETS));
    }
  }

  private List<String> names() {
    return Stream.of(values.getOrDefault(RECORD_SETS, "").split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .distinct()
        .toList();
  }

  private void resolvePaths() {
    values.replaceAll(
        (key, value) -> {
          if (key.endsWith("." + STORE_SCHEMAS)) {
            return Stream.of(value.split(","))
                .map(entry -> entry.strip().split(":", 2))
                .map(entry -> entry.length == 2 ? entry[0] + ":" + here(entry[1]) : entry[0])
                .collect(Collectors.joining(","));
          }
          return key.endsWith("." + SCHEMA_FILE) || key.equals(VIEWS) ? here(value) : value;
        });
  }

  private String here(String path) {
    try {
      return file.resolveSibling(path.strip()).normalize().toString();
    } catch (IllegalArgumentException e) {
      problems.add("%s: is no path: %s".formatted(path, e.getMessage()));
      return path;
    }
  }

  /** The sources themselves say what is wrong with their keys. */
  private void askSources() {
    if (values.containsKey(RECORD_SETS)) {
      ask(Connectors.KV_SOURCE_CLASS);
    }
    ask(Connectors.S3_SOURCE_CLASS);
    String views = values.get(VIEWS);
    if (views != null && !Files.isDirectory(Path.of(views))) {
      problems.add("%s: %s is no directory".formatted(VIEWS, views));
    }
  }

  private void ask(String source) {
    Map<String, String> config = new HashMap<>(GIVEN);
    config.putAll(values);
    for (ConfigValue value : connector(source).validate(config).configValues()) {
      value
          .errorMessages()
          .forEach(message -> problems.add("%s: %s".formatted(value.name(), message)));
    }
  }

  /** Creates a connector as Connect does. */
  private static Connector connector(String name) {
    try {
      return Class.forName(Connectors.PACKAGE + name)
          .asSubclass(Connector.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the stack has this connector", e);
    }
  }

  private PipelineSpec spec(Path dataDirectory) {
    List<RecordSetSpec> sets = new ArrayList<>();
    for (String name : names()) {
      Map<String, String> settings = new LinkedHashMap<>();
      OF_RECORD_SET.stream()
          .filter(setting -> !List.of(PREFIX, SCHEMA, SCHEMA_FILE).contains(setting))
          .filter(setting -> values.containsKey(key(name, setting)))
          .forEach(setting -> settings.put(setting, values.get(key(name, setting))));
      List<String> prefix = KvKey.fromString(values.get(key(name, PREFIX))).major();
      sets.add(new RecordSetSpec(name, prefix, schema(name, settings), settings));
    }
    Path views =
        values.containsKey(VIEWS) ? Path.of(values.get(VIEWS)) : dataDirectory.resolve("views");
    Object usual = connector(Connectors.S3_SOURCE_CLASS).config().defaultValues().get(KEY_PATTERN);
    Pattern keys = Pattern.compile(values.getOrDefault(KEY_PATTERN, usual.toString()));
    return new PipelineSpec(
        sets, keys, values.getOrDefault(ATTRIBUTES, PipelineSpec.FILE_ATTRIBUTES), views);
  }

  private static String key(String recordSet, String setting) {
    return "record.set.%s.%s".formatted(recordSet, setting);
  }

  private Schema schema(String name, Map<String, String> settings) {
    String format = settings.getOrDefault(RecordSetSpec.VALUE_FORMAT, "");
    if (format.equals("string")) {
      return ControlSchemas.STRING_RECORD;
    }
    if (format.equals("bytes")) {
      return ControlSchemas.BYTES_RECORD;
    }
    String text = values.get(key(name, SCHEMA));
    try {
      return new Schema.Parser()
          .parse(
              text == null ? Files.readString(Path.of(values.get(key(name, SCHEMA_FILE)))) : text);
    } catch (IOException e) {
      throw new InvalidConfigException(
          "--record-sets " + file, List.of("%s: %s".formatted(key(name, SCHEMA_FILE), e)));
    }
  }

  /** The app would end at its start otherwise. */
  private void checkViews(PipelineSpec spec) {
    if (!values.containsKey(VIEWS)) {
      return;
    }
    Map<String, RecordSet> sets = new HashMap<>();
    for (RecordSetSpec set : spec.recordSets()) {
      sets.put(set.name(), recordSet(set.name(), set.schema(), List.of()));
    }
    sets.put(
        PipelineSpec.FILES,
        recordSet(PipelineSpec.FILES, ControlSchemas.FILE_RECORD, List.of("objectKey")));
    List<Path> files = spec.viewFiles();
    if (files.isEmpty()) {
      problems.add(
          "%s: %s holds no view definition (.yaml, .yml, .json)".formatted(VIEWS, spec.viewsDir()));
    }
    try {
      Map<String, String> texts = new TreeMap<>();
      for (Path view : files) {
        texts.put(view.getFileName().toString(), Files.readString(view));
      }
      new ViewDefinitionParser().parseAll(texts, sets);
    } catch (IOException e) {
      problems.add("%s: cannot be read: %s".formatted(VIEWS, e));
    } catch (InvalidViewException e) {
      problems.add(e.getMessage());
    }
  }

  private static RecordSet recordSet(String name, Schema schema, List<String> unique) {
    return new RecordSet(name, name, RecordFormat.ENVELOPE, unique, schema);
  }

  /** A record set may come, and its schema may change; nothing else, or views would not fit. */
  private void checkDataDirectory(PipelineSpec spec, Path dataDirectory) {
    Optional<PipelineSpec> saved = PipelineSpec.saved(dataDirectory);
    if (saved.isEmpty()) {
      return;
    }
    List<String> before = saved.get().recordSets().stream().map(RecordSetsFile::identity).toList();
    List<String> now = spec.recordSets().stream().map(RecordSetsFile::identity).toList();
    if (now.size() < before.size() || !now.subList(0, before.size()).equals(before)) {
      problems.add(
          "%s: the stack in %s has the record sets %s, this file %s; append new ones at the end, or use another --data DIR"
              .formatted(RECORD_SETS, dataDirectory, before, now));
    }
  }

  private static String identity(RecordSetSpec set) {
    return set.name() + " " + set.prefix() + (set.settings().isEmpty() ? "" : set.settings());
  }
}
