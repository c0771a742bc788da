package io.indexview.streams.config;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.schemas.config.Validators.OneOf;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.RecordSetConfig.Completeness;
import io.indexview.streams.config.RecordSetConfig.Encoding;
import io.indexview.streams.config.RecordSetConfig.StateStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.TopicConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks a whole configuration and collects every problem before it gives up. */
final class AppConfigParser {
  private static final Logger LOGGER = LoggerFactory.getLogger(AppConfigParser.class);
  private static final String REGISTRY_PREFIX = "schema.registry.";
  private static final String SET_PREFIX = "record.set.";
  private static final Pattern SET_NAME = Pattern.compile("[a-z0-9-]{1,60}");

  /** Partition and offset. */
  private static final Pattern EVENT = Pattern.compile("(\\d{1,9}):(\\d{1,18})");

  private static final List<String> FIXED_OF_VIEW_TOPICS =
      List.of(
          TopicConfig.CLEANUP_POLICY_CONFIG,
          TopicConfig.DELETE_RETENTION_MS_CONFIG,
          TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
          TopicConfig.MAX_MESSAGE_BYTES_CONFIG);

  private static final String TOPIC = "topic";
  private static final String FORMAT = "format";
  private static final String ENCODING = "encoding";
  private static final String SCHEMA_FILE = "schema.file";
  private static final String UNIQUE_FIELDS = "unique.fields";
  private static final String COMPLETE = "complete";
  private static final String SKIP_EVENTS = "skip.events";
  private static final String STATE_STORE = "state.store";
  private static final OneOf<RecordFormat> FORMATS = OneOf.of(RecordFormat.class);
  private static final OneOf<Encoding> ENCODINGS = OneOf.of(Encoding.class);
  private static final OneOf<StateStore> STATE_STORES = OneOf.of(StateStore.class);
  private static final List<String> COMPLETENESS =
      Stream.of(Completeness.values()).map(Completeness::text).toList();

  private final Map<String, String> values;
  private final List<String> problems = new ArrayList<>();

  AppConfigParser(Map<String, String> values) {
    this.values = new TreeMap<>(values);
  }

  AppConfig parse() {
    ConfigDef definition = AppConfig.definition();
    Set<String> names = recordSetNames();
    for (String name : names) {
      defineRecordSet(definition, name);
    }
    TargetKeys.connectTargets(values).forEach(name -> TargetKeys.defineConnect(definition, name));
    for (ConfigValue value : definition.validate(values)) {
      // A second message about one key only repeats the first.
      value.errorMessages().stream().findFirst().ifPresent(problems::add);
    }
    refuseUnknownKeys(definition, names);
    problems.addAll(StreamsKeys.problems(values));
    refuseFixedTopicSettings();
    checkRegistry(definition);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("The configuration is not usable", problems);
    }
    AbstractConfig parsed = new AbstractConfig(definition, values, false);
    Topics topics = new Topics(parsed.getString(AppConfig.TOPIC_PREFIX_CONFIG));
    List<RecordSetConfig> sets =
        names.stream().map(name -> recordSet(parsed, topics, name)).toList();
    refuseSharedTopics(sets);
    checkBind(parsed);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("The configuration is not usable", problems);
    }
    List<String> unknown = StreamsKeys.unknown(values);
    if (!unknown.isEmpty()) {
      LOGGER.warn(
          "Neither Kafka Streams nor its clients have these keys: {}; correct them, unless a class that is plugged in knows them",
          unknown);
    }
    return new AppConfig(definition, values, sets, TargetKeys.read(parsed, topics), false);
  }

  private void refuseFixedTopicSettings() {
    for (String name : FIXED_OF_VIEW_TOPICS) {
      if (values.containsKey(AppConfig.VIEW_TOPIC_PREFIX + name)) {
        problems.add(
            "%s%s: cannot be set; the application sets it itself"
                .formatted(AppConfig.VIEW_TOPIC_PREFIX, name));
      }
    }
  }

  /** The registry's keys must also fit each other; only a client knows. */
  private void checkRegistry(ConfigDef definition) {
    boolean sound =
        definition.validate(values).stream()
            .filter(value -> value.name().startsWith(REGISTRY_PREFIX))
            .allMatch(value -> value.errorMessages().isEmpty());
    if (sound) {
      try (SchemaRegistry client = SchemaRegistries.create(values)) {
        LOGGER.debug("The registry keys are sound: {}", client.getClass().getSimpleName());
      } catch (ConfigException e) {
        problems.add(e.getMessage());
      }
    }
  }

  private Set<String> recordSetNames() {
    Set<String> names = new LinkedHashSet<>();
    for (String part : values.getOrDefault(AppConfig.RECORD_SETS_CONFIG, "").split(",", -1)) {
      String name = part.strip();
      if (SET_NAME.matcher(name).matches()) {
        names.add(name);
      } else if (!name.isEmpty()) {
        problems.add(
            "record.sets: \"%s\" is not a name of a record set; use 1 to 60 of a-z 0-9 -"
                .formatted(name));
      }
    }
    return names;
  }

  static void defineRecordSet(ConfigDef definition, String name) {
    ConfigKeys keys = new ConfigKeys(definition, "Record set " + name);
    keys.add(
        key(name, TOPIC),
        Type.STRING,
        "",
        MatchesPattern.TOPIC_OR_EMPTY,
        Importance.HIGH,
        "Primary-change topic of the record set. Default: <topic.prefix>.changes.<name>.");
    keys.add(
        key(name, FORMAT),
        Type.STRING,
        "envelope",
        FORMATS,
        Importance.MEDIUM,
        "envelope: values in the change envelope (our sources, Debezium). flat: the value is the"
            + " record; null is a delete, and Debezium's __deleted true.");
    keys.add(
        key(name, ENCODING),
        Type.STRING,
        "avro",
        ENCODINGS,
        Importance.MEDIUM,
        "How keys and values are written. avro: in the Confluent wire format; keys also as plain"
            + " text. json: by Kafka Connect's JsonConverter, with schemas.enable or without, which"
            + " needs schema.file. Cannot be changed once there are records: their keys are"
            + " others.");
    keys.add(
        key(name, SCHEMA_FILE),
        Type.STRING,
        null,
        ConfigDef.LambdaValidator.with((key, value) -> path(key, (String) value), () -> "a path"),
        Importance.MEDIUM,
        "Avro schema (.avsc) of the records. Without it the newest one of the subject"
            + " <topic>-value counts, and the application waits until there is one. With"
            + " encoding=json it says what the fields are of values that have no schema beside"
            + " them, and is read at the start; schemas that values have are registered under the"
            + " subject.");
    keys.add(
        key(name, UNIQUE_FIELDS),
        Type.LIST,
        List.of(),
        ConfigDef.ValidList.anyNonDuplicateValues(true, false),
        Importance.LOW,
        "Fields that together, and alone, identify a record; no value may pass from one record to another. Some view layouts need to know.");
    keys.add(
        key(name, COMPLETE),
        Type.STRING,
        null,
        ConfigDef.LambdaValidator.with(
            (key, value) -> requireCompleteness(key, (String) value),
            () -> String.join(", ", COMPLETENESS)),
        Importance.MEDIUM,
        "What says that the topic has every primary record; before, no view of the set is READY."
            + " source-states: its source, when it has scanned everything. debezium: the events"
            + " of Debezium, when they are no longer those of its snapshot. topic: nobody; what"
            + " the topic holds when a view is defined counts as everything. Default: source-states"
            + " for envelopes, topic for flat values.");
    defineTasks(keys, name);
  }

  /** What its tasks read, and where they keep it. */
  private static void defineTasks(ConfigKeys keys, String name) {
    keys.add(
        key(name, SKIP_EVENTS),
        Type.LIST,
        List.of(),
        ConfigDef.LambdaValidator.with(
            (key, value) -> steppedOver(key, (List<?>) value),
            () -> "PARTITION:OFFSET, comma-separated"),
        Importance.LOW,
        "Events of the topic that the application steps over without reading them, for those that"
            + " end it again and again. Each is a dead letter, and may have changed any record: the"
            + " views are DEGRADED until every record is published again. Keep the key until the"
            + " topic no longer holds them, and remove it before a topic of the name is created"
            + " anew, whose offsets are of other events.");
    keys.add(
        key(name, STATE_STORE),
        Type.STRING,
        "rocksdb",
        STATE_STORES,
        Importance.LOW,
        "Where the newest entry of each record is. rocksdb: on disk, in state.dir. memory: on the"
            + " heap, which makes events cheaper; all entries of the instance's tasks and standbys"
            + " must fit, and every start restores them from the changelog. The second copy that a"
            + " rebuild from a replay makes stays on disk in both cases. May be changed by a"
            + " restart, of one instance after the other, too.");
  }

  private static Map<Integer, Set<Long>> steppedOver(String key, List<?> events) {
    Map<Integer, Set<Long>> offsets = new HashMap<>();
    for (Object event : events) {
      Matcher matcher = EVENT.matcher(event.toString());
      if (!matcher.matches()) {
        throw new ConfigException(
            key, events, "\"%s\" is not PARTITION:OFFSET, as in 3:1742".formatted(event));
      }
      offsets
          .computeIfAbsent(Integer.valueOf(matcher.group(1)), partition -> new HashSet<>())
          .add(Long.valueOf(matcher.group(2)));
    }
    return offsets;
  }

  private static void requireCompleteness(String key, String value) {
    if (value != null && !COMPLETENESS.contains(value)) {
      throw new ConfigException(key, value, "Use one of " + String.join(", ", COMPLETENESS));
    }
  }

  private static Optional<Path> path(String key, String value) {
    try {
      return Optional.ofNullable(value).map(Path::of);
    } catch (InvalidPathException e) {
      throw new ConfigException(key, value, e.getMessage());
    }
  }

  private RecordSetConfig recordSet(AbstractConfig parsed, Topics topics, String name) {
    String topic = parsed.getString(key(name, TOPIC));
    String fileKey = key(name, SCHEMA_FILE);
    String skipKey = key(name, SKIP_EVENTS);
    RecordFormat format = FORMATS.parse(parsed.getString(key(name, FORMAT)));
    return new RecordSetConfig(
        name,
        topic.isEmpty() ? topics.changes(name) : topic,
        format,
        ENCODINGS.parse(parsed.getString(key(name, ENCODING))),
        path(fileKey, parsed.getString(fileKey)),
        parsed.getList(key(name, UNIQUE_FIELDS)),
        completeness(key(name, COMPLETE), parsed.getString(key(name, COMPLETE)), format),
        steppedOver(skipKey, parsed.getList(skipKey)),
        STATE_STORES.parse(parsed.getString(key(name, STATE_STORE))));
  }

  private Completeness completeness(String key, String text, RecordFormat format) {
    if (text == null) {
      return format == RecordFormat.FLAT ? Completeness.TOPIC : Completeness.SOURCE_STATES;
    }
    Completeness completeness = Completeness.of(text);
    if (completeness == Completeness.DEBEZIUM && format == RecordFormat.FLAT) {
      problems.add(
          "%s: \"%s\" goes by the field source.snapshot of envelopes, which flat values lack; use %s, and define views after the snapshot"
              .formatted(key, text, Completeness.TOPIC.text()));
    }
    return completeness;
  }

  private void refuseSharedTopics(List<RecordSetConfig> sets) {
    Map<String, String> owners = new TreeMap<>();
    for (RecordSetConfig set : sets) {
      String other = owners.putIfAbsent(set.topic(), set.name());
      if (other != null) {
        problems.add(
            "%s: topic \"%s\" belongs to record set \"%s\" already; one topic feeds one record set"
                .formatted(key(set.name(), TOPIC), set.topic(), other));
      }
    }
  }

  /** A host that nobody knows fails to bind, and says so then. */
  private void checkBind(AbstractConfig parsed) {
    String host = parsed.getString(HttpKeys.HTTP_HOST_CONFIG);
    boolean isLoopback;
    try {
      isLoopback = InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return;
    }
    if (!isLoopback && !parsed.getBoolean(HttpKeys.INSECURE_BIND_CONFIG)) {
      problems.add(
          "%s: %s is reached from other machines, and health and metrics are not authenticated; use 127.0.0.1, or set %s=true where something else keeps others out"
              .formatted(HttpKeys.HTTP_HOST_CONFIG, host, HttpKeys.INSECURE_BIND_CONFIG));
    }
  }

  private void refuseUnknownKeys(ConfigDef definition, Set<String> names) {
    for (String key : values.keySet()) {
      if (definition.names().contains(key)
          || key.startsWith(AppConfig.STREAMS_PREFIX)
          || key.startsWith(AppConfig.VIEW_TOPIC_PREFIX)) {
        continue;
      }
      problems.add("%s: unknown key; %s".formatted(key, remedy(key, names)));
    }
  }

  private static String remedy(String key, Set<String> recordSets) {
    if (key.startsWith(SET_PREFIX)) {
      return "a record set has the keys topic, format, encoding, schema.file, unique.fields, complete,"
          + " skip.events and state.store, and record.sets names "
          + recordSets;
    }
    return key.startsWith(TargetKeys.PREFIX)
        ? "a target has the keys sink.group, dead.letter.topic and removal, and those beside kv and"
            + " dynamodb are named in connect.targets"
        : "keys of Kafka Streams and its clients start with \"streams.\"";
  }

  private static String key(String recordSet, String suffix) {
    return SET_PREFIX + recordSet + "." + suffix;
  }
}
