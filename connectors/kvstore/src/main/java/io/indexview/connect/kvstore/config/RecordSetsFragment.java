package io.indexview.connect.kvstore.config;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvValidators;
import io.indexview.schemas.Topics;
import io.indexview.schemas.config.Validators.EachOnce;
import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.views.definition.Target;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** The record sets that a source scans; each has keys of its own that carry its name. */
public final class RecordSetsFragment extends ConfigFragment {
  public static final String NAMES_CONFIG = "record.sets";
  private static final String NAMES_DISPLAY = "Record sets";
  private static final String NAMES_DOC =
      """
      Names of the record sets, separated by commas. Each NAME is described by keys that begin with \
      record.set.NAME. Record sets are spread over the tasks.""";

  public static final String VIEW_PREFIXES_CONFIG = "view.prefixes";
  private static final String VIEW_PREFIXES_DEFAULT =
      String.join(",", Target.Kv.DEFAULT_PREFIX, Target.Kv.DEFAULT_META_PREFIX);
  private static final String VIEW_PREFIXES_DISPLAY = "Prefixes of views";
  private static final String VIEW_PREFIXES_DOC =
      """
      First components of the keys that views have in this store: every prefix and metaPrefix that \
      a view definition names. No record set may lie there: the source would take rows for primary \
      records, and views would be derived from views. Empty if no view is kept in this store.""";

  private static final String PREFIX_DISPLAY = "Key prefix";
  private static final String PREFIX_DOC =
      """
      Leading major components of the record set's keys, as the store writes them: \
      /Corporate/people. Every record below is a primary record, except large objects (.lob) and \
      rows of the store's tables, which are passed over and counted. No key may belong to two record \
      sets.""";

  private static final String MINORS_DISPLAY = "Minor keys";
  private static final String MINORS_DOC =
      """
      Minor paths of the record set's keys, separated by commas, each as the store writes it: \
      /-/contact,/-/keys/public; /- stands for keys without a minor path. Records with other minor \
      paths are not the record set's. Empty: all are.""";

  private static final String TOPIC_DISPLAY = "Topic";
  private static final String TOPIC_DOC =
      """
      Primary-change topic, which must exist. Default: TOPIC_PREFIX.changes.NAME. No other record \
      set may share it.""";

  private static final String PREFIX_OF_ALL = "record.set.";

  private static final MatchesPattern NAME =
      new MatchesPattern("[A-Za-z0-9_-]{1,60}", "1 to 60 of the characters A-Z a-z 0-9 _ -");

  private final Topics topics;

  public RecordSetsFragment(AbstractConfig config, Topics topics) {
    super(config);
    this.topics = topics;
  }

  /** Key of one record set: {@code record.set.people.topic}. */
  public static String key(String recordSet, String setting) {
    return PREFIX_OF_ALL + recordSet + "." + setting;
  }

  /**
   * Adds {@code record.sets}, and the keys of the record sets that it names.
   *
   * @param originals the configuration to be read
   */
  public static void update(ConfigDef definition, Map<String, String> originals) {
    ConfigGroup.in(definition, "Record sets")
        .required(NAMES_CONFIG, Type.LIST, NAMES, NAMES_DISPLAY, NAMES_DOC)
        .optional(
            VIEW_PREFIXES_CONFIG,
            Type.LIST,
            VIEW_PREFIXES_DEFAULT,
            new EachOnce(true),
            VIEW_PREFIXES_DISPLAY,
            VIEW_PREFIXES_DOC);
    for (String name : names(originals.get(NAMES_CONFIG))) {
      update(definition, name);
    }
  }

  private static void update(ConfigDef definition, String name) {
    ConfigGroup group =
        ConfigGroup.in(definition, "Record set " + name)
            .required(
                key(name, "prefix"), Type.STRING, KvValidators.PREFIX, PREFIX_DISPLAY, PREFIX_DOC)
            .optional(
                key(name, "minor.keys"),
                Type.LIST,
                "",
                KvValidators.MINORS,
                MINORS_DISPLAY,
                MINORS_DOC)
            .optional(
                key(name, "topic"),
                Type.STRING,
                null,
                MatchesPattern.TOPIC,
                TOPIC_DISPLAY,
                TOPIC_DOC);
    ValuesFragment.update(group, name);
  }

  @Override
  public void validate(ConfigProblems problems) {
    Map<String, String> ownerOfTopic = new HashMap<>();
    for (String name : names()) {
      new ValuesFragment(config(), name).validate(problems);
      if (isOfViews(prefix(name).major().get(0))) {
        problems.add(
            key(name, "prefix"),
            "%s is where views keep rows or metadata, by %s; name the prefix of the primary records"
                .formatted(prefix(name), VIEW_PREFIXES_CONFIG));
      }
      String owner = ownerOfTopic.putIfAbsent(topic(name), name);
      if (owner != null) {
        problems.add(
            key(name, "topic"),
            "%s is the topic of record set %s already; each needs its own"
                .formatted(topic(name), owner));
      }
    }
    Map<String, KvKeySet> sets = new LinkedHashMap<>();
    names().forEach(name -> sets.put(name, keys(name)));
    KvValidators.findOverlaps(sets, (name, problem) -> problems.add(key(name, "prefix"), problem));
    refuseUnknown(problems);
  }

  /** What is misspelt would be passed over, and all records be published, or as another format. */
  private void refuseUnknown(ConfigProblems problems) {
    Set<String> known = config().values().keySet();
    String ofFirst = key(names().get(0), "");
    List<String> settings =
        known.stream()
            .filter(key -> key.startsWith(ofFirst))
            .map(key -> key.substring(ofFirst.length()))
            .sorted()
            .toList();
    for (String key : config().originals().keySet()) {
      if (key.startsWith(PREFIX_OF_ALL) && !known.contains(key)) {
        problems.add(
            key,
            "is not known; a record set has the keys %s, and %s names %s"
                .formatted(String.join(", ", settings), NAMES_CONFIG, names()));
      }
    }
  }

  private boolean isOfViews(String component) {
    return config().getList(VIEW_PREFIXES_CONFIG).stream()
        .anyMatch(
            prefix ->
                component.equals(prefix)
                    || component.equals(prefix + Target.Kv.HISTORY_SUFFIX)
                    || component.equals(prefix + Target.Kv.OWNER_SUFFIX));
  }

  private KvKeySet keys(String name) {
    return KvKeySet.of(prefix(name), config().getList(key(name, "minor.keys")));
  }

  private KvKey prefix(String name) {
    return KvKey.fromString(config().getString(key(name, "prefix")));
  }

  public List<String> names() {
    return config().getList(NAMES_CONFIG).stream().distinct().toList();
  }

  public KvRecordSet recordSet(String name) {
    return new KvRecordSet(
        name, keys(name), topic(name), new ValuesFragment(config(), name).values());
  }

  private String topic(String name) {
    String topic = config().getString(key(name, "topic"));
    return topic == null ? topics.changes(name) : topic;
  }

  private static List<String> names(String list) {
    return list == null
        ? List.of()
        : List.of(list.split(",")).stream()
            .map(String::trim)
            .filter(name -> NAME.matches(name))
            .distinct()
            .toList();
  }

  private static void checkNames(String key, Object value) {
    List<?> names = (List<?>) value;
    if (names == null || names.isEmpty()) {
      throw new ConfigException(key, value, "Name one record set at least");
    }
    names.forEach(name -> NAME.ensureValid(key, name));
  }

  private static final Validator NAMES =
      ConfigDef.LambdaValidator.with(RecordSetsFragment::checkNames, () -> "names, each " + NAME);
}
