package io.indexview.connect.dynamodb;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.dynamodb.NewTables;
import io.indexview.schemas.config.Validators.OneOf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** How tables are created, where the sink creates any. */
final class NewTablesFragment extends ConfigFragment {
  static final String GROUP = "New tables";

  static final String BILLING_CONFIG = "dynamodb.create.billing";
  private static final String BILLING_DEFAULT = "on_demand";
  private static final String BILLING_DISPLAY = "Billing mode";
  private static final String BILLING_DOC =
      """
      How the capacity of tables that the sink creates is paid for. Tables that are there already \
      stay as they are.""";

  static final String READ_UNITS_CONFIG = "dynamodb.create.read.units";
  private static final String READ_UNITS_DISPLAY = "Read units";
  private static final String READ_UNITS_DOC =
      "Provisioned read capacity units of each new table, and of each of its indexes.";

  static final String WRITE_UNITS_CONFIG = "dynamodb.create.write.units";
  private static final String WRITE_UNITS_DISPLAY = "Write units";
  private static final String WRITE_UNITS_DOC =
      "Provisioned write capacity units of each new table, and of each of its indexes.";

  static final String TAGS_CONFIG = "dynamodb.create.tags";
  private static final String TAGS_DISPLAY = "Tags";
  private static final String TAGS_DOC = "Tags of new tables: key=value, with commas between them.";

  private static final int MAX_TAGS = 50;
  private static final int MAX_TAG_KEY = 128;
  private static final int MAX_TAG_VALUE = 256;

  private static final OneOf<Billing> BILLINGS = OneOf.of(Billing.class);

  /** Billing modes of DynamoDB. */
  enum Billing {
    ON_DEMAND,
    PROVISIONED
  }

  NewTablesFragment(AbstractConfig config) {
    super(config);
  }

  static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .tuning(
            BILLING_CONFIG, Type.STRING, BILLING_DEFAULT, BILLINGS, BILLING_DISPLAY, BILLING_DOC)
        .tuning(READ_UNITS_CONFIG, Type.LONG, 0, atLeast(0), READ_UNITS_DISPLAY, READ_UNITS_DOC)
        .tuning(WRITE_UNITS_CONFIG, Type.LONG, 0, atLeast(0), WRITE_UNITS_DISPLAY, WRITE_UNITS_DOC)
        .tuning(TAGS_CONFIG, Type.LIST, List.of(), null, TAGS_DISPLAY, TAGS_DOC);
  }

  @Override
  public void validate(ConfigProblems problems) {
    for (String key : List.of(READ_UNITS_CONFIG, WRITE_UNITS_CONFIG)) {
      boolean given = config().getLong(key) > 0;
      if (isProvisioned() && !given) {
        problems.add(key, "give 1 or more with %s=provisioned".formatted(BILLING_CONFIG));
      } else if (!isProvisioned() && given) {
        problems.add(key, "is for %s=provisioned only".formatted(BILLING_CONFIG));
      }
    }
    List<String> entries = config().getList(TAGS_CONFIG);
    if (entries.size() > MAX_TAGS) {
      problems.add(TAGS_CONFIG, "a table takes %d tags".formatted(MAX_TAGS));
    }
    Map<String, String> tags = new HashMap<>();
    for (String entry : entries) {
      if (!isTag(entry) || tags.put(key(entry), value(entry)) != null) {
        problems.add(
            TAGS_CONFIG,
            "\"%s\": write key=value, each key once, of up to %d characters, not beginning with aws:, and a value of up to %d"
                .formatted(entry, MAX_TAG_KEY, MAX_TAG_VALUE));
      }
    }
  }

  private static boolean isTag(String entry) {
    return entry.indexOf('=') > 0
        && key(entry).length() <= MAX_TAG_KEY
        && !key(entry).startsWith("aws:")
        && value(entry).length() <= MAX_TAG_VALUE;
  }

  private static String key(String entry) {
    return entry.substring(0, entry.indexOf('='));
  }

  private static String value(String entry) {
    return entry.substring(entry.indexOf('=') + 1);
  }

  private boolean isProvisioned() {
    return BILLINGS.parse(config().getString(BILLING_CONFIG)) == Billing.PROVISIONED;
  }

  NewTables newTables() {
    NewTables.Capacity capacity =
        isProvisioned()
            ? new NewTables.Capacity(
                config().getLong(READ_UNITS_CONFIG), config().getLong(WRITE_UNITS_CONFIG))
            : null;
    Map<String, String> tags = new HashMap<>();
    config().getList(TAGS_CONFIG).forEach(entry -> tags.put(key(entry), value(entry)));
    return new NewTables(capacity, tags);
  }
}
