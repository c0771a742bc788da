package io.indexview.streams.config;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.views.definition.Target;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;

/** The keys {@code target.<name>.*}. */
final class TargetKeys {
  private static final List<String> TARGETS = List.of(Target.Kv.TYPE, Target.DynamoDb.TYPE);
  private static final Map<String, String> SINK_GROUPS =
      Map.of(
          Target.Kv.TYPE,
          "connect-indexview-kvstore-sink",
          Target.DynamoDb.TYPE,
          "connect-indexview-dynamodb-sink");

  private static final String SINK_GROUP_DOC =
      "Consumer group of the sink of the target: connect- and the connector's name. A view becomes"
          + " READY only when this group has committed all that was built.";
  private static final String DEAD_LETTER_TOPIC_DOC =
      "The sink's errors.deadletterqueue.topic.name; rows that it cannot apply make their view"
          + " DEGRADED. Empty: <topic.prefix>.dead-letters.<target>.";
  private static final String REMOVAL_DOC =
      "How the rows of an old generation leave the target. native: the sink removes them when it is"
          + " told to; Indexview's own sinks can. tombstones: the application writes a tombstone for"
          + " every row, for a stock sink.";

  private static final String KV_SINK_MODE = "target.kv.sink.mode";
  private static final String OVERWRITE = "overwrite";
  private static final String CONDITIONAL = "conditional";
  private static final String KV_SINK_MODE_DOC =
      "The kvstore sink's kvstore.mode. With conditional, views of layout key-only are refused when"
          + " they are submitted: their rows hold no revision that could be compared. A sink in this"
          + " mode of which this key does not tell refuses such a view row by row.";

  private TargetKeys() {}

  static void define(ConfigDef definition) {
    for (String target : TARGETS) {
      ConfigKeys keys = new ConfigKeys(definition, "Target " + target);
      keys.add(
          sinkGroup(target),
          Type.STRING,
          SINK_GROUPS.get(target),
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
          TargetConfig.Removal.NATIVE.text(),
          ValidString.in(
              TargetConfig.Removal.NATIVE.text(), TargetConfig.Removal.TOMBSTONES.text()),
          Importance.LOW,
          REMOVAL_DOC);
      if (target.equals(Target.Kv.TYPE)) {
        keys.add(
            KV_SINK_MODE,
            Type.STRING,
            OVERWRITE,
            ValidString.in(OVERWRITE, CONDITIONAL),
            Importance.LOW,
            KV_SINK_MODE_DOC);
      }
    }
  }

  /** The targets by name. */
  static Map<String, TargetConfig> read(AbstractConfig parsed, Topics topics) {
    Map<String, TargetConfig> targets = new LinkedHashMap<>();
    for (String target : TARGETS) {
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
    return "target." + target + ".sink.group";
  }

  private static String deadLetterTopic(String target) {
    return "target." + target + ".dead.letter.topic";
  }

  private static String removal(String target) {
    return "target." + target + ".removal";
  }
}
