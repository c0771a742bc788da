package io.indexview.streams.config;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.schemas.config.Validators.OneOf;
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
  private static final OneOf<TargetConfig.Removal> REMOVALS = OneOf.of(TargetConfig.Removal.class);
  private static final String NATIVE = "native";
  private static final String TOMBSTONES = "tombstones";
  private static final String REMOVAL_DOC =
      "How the rows of an old generation leave the target. native: the sink removes them when the"
          + " control record of their topic comes; Indexview's own sinks can. tombstones: the"
          + " application writes a tombstone for every row, for a generic Connect sink.";

  private static final String KV_SINK_MODE = "target.kv.sink.mode";
  private static final OneOf<KvSinkMode> KV_SINK_MODES = OneOf.of(KvSinkMode.class);
  private static final String KV_SINK_MODE_DOC =
      "The kvstore sink's kvstore.mode. With conditional, views of layout key-only are refused when"
          + " they are submitted: their rows hold no revision that could be compared. If the"
          + " sink is in this mode and this key does not say so, the sink refuses such a view row by"
          + " row.";

  private TargetKeys() {}

  private enum KvSinkMode {
    OVERWRITE,
    CONDITIONAL
  }

  /** The keys of Indexview's own targets, and the names of the others. */
  static void define(ConfigDef definition) {
    define(definition, Target.Kv.TYPE, KV_SINK_GROUP, NATIVE)
        .add(
            KV_SINK_MODE,
            Type.STRING,
            "overwrite",
            KV_SINK_MODES,
            Importance.LOW,
            KV_SINK_MODE_DOC);
    define(definition, Target.DynamoDb.TYPE, DYNAMODB_SINK_GROUP, NATIVE);
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
    define(definition, target, "connect-indexview-" + target + "-sink", TOMBSTONES);
  }

  private static ConfigKeys define(
      ConfigDef definition, String target, String sinkGroup, String removal) {
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
        MatchesPattern.TOPIC_OR_EMPTY,
        Importance.LOW,
        DEAD_LETTER_TOPIC_DOC);
    keys.add(removal(target), Type.STRING, removal, REMOVALS, Importance.LOW, REMOVAL_DOC);
    return keys;
  }

  private static void requireNames(String key, List<?> names) {
    Set<Object> seen = new HashSet<>();
    for (Object name : names) {
      if (!Target.Connect.isType(name.toString())) {
        throw new ConfigException(
            key, name, "Use %s, and neither of %s".formatted(Target.Connect.TYPE_RULE, Target.OWN));
      }
      if (!seen.add(name)) {
        throw new ConfigException(key, names, "Name %s once".formatted(name));
      }
    }
  }

  /** The usable names among the Connect targets; the definition's own check tells of the others. */
  static List<String> connectTargets(Map<String, String> values) {
    return Stream.of(values.getOrDefault(CONNECT_TARGETS, "").split(","))
        .map(String::strip)
        .filter(Target.Connect::isType)
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
              REMOVALS.parse(parsed.getString(removal(target))),
              target.equals(Target.Kv.TYPE)
                  && KV_SINK_MODES.parse(parsed.getString(KV_SINK_MODE))
                      == KvSinkMode.CONDITIONAL));
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
