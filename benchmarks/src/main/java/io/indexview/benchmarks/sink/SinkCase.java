package io.indexview.benchmarks.sink;

import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import java.util.List;
import java.util.Locale;

/**
 * What the sink is to write.
 *
 * @param shape how rows lie in the store
 * @param view the definition after name and source
 * @param changed whether all rows are there already, with an older revision
 */
record SinkCase(String shape, WriteMode mode, boolean changed, String view) {
  private static final String ALONE = "key: [id]\n";
  private static final String OF_40 = "key: [country, id]\nshardKey: 1\n";
  private static final String OF_2 = "key: [active, id]\nshardKey: 1\n";

  private static final String KEY_ONLY = "target: kv\nlayout: key-only\n";
  private static final String KEY_VALUE = "target: kv\nlayout: key-value\ninclude: [name]\n";

  /** Fifty primary keys in a record when there are 20,000 people. */
  private static final String LISTS = "key: [city]\ntarget: kv\nlayout: list\nmaxElements: 10000\n";

  static final List<SinkCase> ALL =
      List.of(
          new SinkCase("key-only, alone", WriteMode.OVERWRITE, false, ALONE + KEY_ONLY),
          new SinkCase("key-value, alone", WriteMode.OVERWRITE, false, ALONE + KEY_VALUE),
          new SinkCase("key-value, alone", WriteMode.CONDITIONAL, false, ALONE + KEY_VALUE),
          new SinkCase("key-value, alone", WriteMode.CONDITIONAL, true, ALONE + KEY_VALUE),
          new SinkCase("key-only, 40 major paths", WriteMode.OVERWRITE, false, OF_40 + KEY_ONLY),
          new SinkCase("key-value, 40 major paths", WriteMode.OVERWRITE, false, OF_40 + KEY_VALUE),
          new SinkCase(
              "key-value, 40 major paths", WriteMode.CONDITIONAL, false, OF_40 + KEY_VALUE),
          new SinkCase("key-value, 40 major paths", WriteMode.CONDITIONAL, true, OF_40 + KEY_VALUE),
          new SinkCase("key-value, 2 major paths", WriteMode.OVERWRITE, false, OF_2 + KEY_VALUE),
          new SinkCase("list, 400 records", WriteMode.OVERWRITE, false, LISTS));

  String title() {
    return "%s, %s, %s".formatted(shape, mode.name().toLowerCase(Locale.ROOT), rows());
  }

  String rows() {
    return changed ? "changed" : "new";
  }
}
