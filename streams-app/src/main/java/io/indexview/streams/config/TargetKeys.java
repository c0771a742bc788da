package io.indexview.streams.config;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.streams.config.AppConfigParser.TopicNames;
import io.indexview.views.definition.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;

/** The keys {@code target.<name>.*}. */
final class TargetKeys {
  static final String CONNECT_TARGETS = "connect.targets";
  static final String PREFIX = "target.";

  private static final String CONNECT_TARGETS_DOC =
      "Targets beside kv and dynamodb, each served by a Connect sink of another origin, as a"
          + " relational database by a JDBC sink; views name them as their target. Each has the"
          + " keys target.<name>.*. Keep a name for as long as there are views of it.";
  private static final String KV_SINK_GROUP = "connect-indexview-kvstore-sink";
  private static final String DYNAMODB_SINK_GROUP = "connect-indexview-dynamodb-sink";

  private static final String SINK_GROUP_DOC =
      "Consumer group of the sink of the target: connect- and the connector's name. A view becomes"
          + " READY only when this group has committed all that was built.";
  private static final String DEAD_LETTER_TOPIC_DOC =
      "The sink's errors.deadletterqueue.topic.name; rows that it cannot apply make their view"
          + " DEGRADED. Empty: <topic.prefix>.dead-letters.<target>.";
  private static final String REMOVAL_DOC =
      "How the rows of an old generation leave the target. native: the sink removes them when the"
          + " control record of their topic comes; Indexview's own sinks can. tombstones: the"
          + " application writes a tombstone for every row, for a generic Connect sink.";

  private static final String KV_SINK_MODE = "target.kv.sink.mode";
  private static final String OVERWRITE = "overwrite";
  private static final String CONDITIONAL = "conditional";
  private static final String KV_SINK_MODE_DOC =
      "The kvstore sink's kvstore.mode. With conditional, views of layout key-only are refused when"
          + " they are submitted: their rows hold no revision that could be compared. A sink in"
          + " this mode of which this key does not tell refuses such a view row by row.";

  private TargetKeys() {}

  /** The keys of Indexview's own targets, and the names of the others. */
  static void define(ConfigDef definition) {
    define(definition, Target.Kv.TYPE, KV_SINK_GROUP, TargetConfig.Removal.NATIVE)
        .add(
            KV_SINK_MODE,
            Type.STRING,
            OVERWRITE,
            ValidString.in(OVERWRITE, CONDITIONAL),
            Importance.LOW,
            KV_SINK_MODE_DOC);
    define(definition, Target.DynamoDb.TYPE, DYNAMODB_SINK_GROUP, TargetConfig.Removal.NATIVE);
    new ConfigKeys(definition, "Connect targets")
        .add(
            CONNECT_TARGETS,
            Type.LIST,
            List.of(),
            ConfigDef.LambdaValidator.with(
                (key, value) -> requireNames(key, (List<?>) value),
                () -> "names of a-z 0-9 -, each once"),
            Importance.MEDIUM,
            CONNECT_TARGETS_DOC);
  }

  static void defineConnect(ConfigDef definition, String target) {
    define(
        definition,
        target,
        "connect-indexview-" + target + "-sink",
        TargetConfig.Removal.TOMBSTONES);
  }

  private static ConfigKeys define(
      ConfigDef definition, String target, String sinkGroup, TargetConfig.Removal removal) {
    ConfigKeys keys = new ConfigKeys(definition, "Target " + target);
    keys.add(
        sinkGroup(target),
        Type.STRING,
        sinkGroup,
        new NonEmptyString(),
        Importance.MEDIUM,
        SINK_GROUP_DOC);
    keys.add(
        deadLetterTopic(target),
        Type.STRING,
        "",
        TopicNames.VALIDATOR,
        Importance.LOW,
        DEAD_LETTER_TOPIC_DOC);
    keys.add(
        removal(target),
        Type.STRING,
        removal.text(),
        ValidString.in(TargetConfig.Removal.NATIVE.text(), TargetConfig.Removal.TOMBSTONES.text()),
        Importance.LOW,
        REMOVAL_DOC);
    return keys;
  }

  private static void requireNames(String key, List<?> names) {
    Set<Object> seen = new HashSet<>();
    for (Object name : names) {
      if (!isConnectName(name.toString())) {
        throw new ConfigException(
            key, name, "use %s, and neither of %s".formatted(Target.Connect.TYPE_RULE, Target.OWN));
      }
      if (!seen.add(name)) {
        throw new ConfigException(key, name, "is there twice; remove one");
      }
    }
  }

  private static boolean isConnectName(String name) {
    return name.matches(Target.Connect.TYPE_PATTERN) && !Target.OWN.contains(name);
  }

  /** The usable names among the Connect targets; the definition's own check tells of the others. */
  static List<String> connectTargets(Map<String, String> values) {
    return Stream.of(values.getOrDefault(CONNECT_TARGETS, "").split(","))
        .map(String::strip)
        .filter(TargetKeys::isConnectName)
        .distinct()
        .toList();
  }

  /** The targets by name. */
  static Map<String, TargetConfig> read(AbstractConfig parsed, Topics topics) {
    Map<String, TargetConfig> targets = new LinkedHashMap<>();
    List<String> names = new ArrayList<>(Target.OWN);
    names.addAll(parsed.getList(CONNECT_TARGETS));
    for (String target : names) {
      String deadLetters = parsed.getString(deadLetterTopic(target));
      targets.put(
          target,
          new TargetConfig(
              target,
              parsed.getString(sinkGroup(target)),
              deadLetters.isEmpty() ? topics.deadLetters(target) : deadLetters,
              TargetConfig.Removal.of(parsed.getString(removal(target))),
              target.equals(Target.Kv.TYPE) && parsed.getString(KV_SINK_MODE).equals(CONDITIONAL)));
    }
    return targets;
  }

  private static String sinkGroup(String target) {
    return PREFIX + target + ".sink.group";
  }

  private static String deadLetterTopic(String target) {
    return PREFIX + target + ".dead.letter.topic";
  }

  private static String removal(String target) {
    return PREFIX + target + ".removal";
  }
}
