package io.indexview.verification;

import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/**
 * Recomputes a view from its primary records and compares it with the rows of its target, in both
 * directions. The comparison is exact only while nothing is written and everything was applied; it
 * holds the expected rows in memory, some 300 bytes and their values each.
 */
public final class ViewVerifier {
  private static final int MAX_SAMPLES = 5;

  private final ViewGeneration generation;
  private final Set<String> ignored;
  private final List<String> samples = new ArrayList<>();
  private long records;
  private long rows;
  private long dangling;
  private long different;

  private ViewVerifier(ViewGeneration generation, Set<String> ignored) {
    this.generation = generation;
    this.ignored = ignored;
  }

  /**
   * Compares once.
   *
   * @param primaries the primary records of the view's record set, with its record schema
   * @param ignored included fields that the primary records do not tell
   */
  public static Verification verify(
      ViewGeneration generation,
      Iterator<PrimaryRecord> primaries,
      TargetRows target,
      Set<String> ignored) {
    return new ViewVerifier(generation, ignored).compare(primaries, target);
  }

  private Verification compare(Iterator<PrimaryRecord> primaries, TargetRows target) {
    Map<String, Map<String, Object>> expected = derive(primaries, target);
    target.forEach(row -> check(row, expected));
    expected.keySet().forEach(id -> sample("missing", id));
    return new Verification(
        generation.view(), records, rows, expected.size(), dangling, different, samples);
  }

  private Map<String, Map<String, Object>> derive(
      Iterator<PrimaryRecord> primaries, TargetRows target) {
    CompiledView view = CompiledView.compile(generation, generation.recordSet().schema());
    Map<String, Map<String, Object>> expected = new HashMap<>();
    while (primaries.hasNext()) {
      PrimaryRecord primary = primaries.next();
      records++;
      for (ViewRow row : rowsOf(view, primary)) {
        Row image = target.expected(view.keyOf(row), view.valueOf(row, 0), 0);
        expected.put(image.id(), compared(image.values()));
      }
    }
    return expected;
  }

  /** A record that cannot be derived has no rows; the streams app says so in its dead letters. */
  private static List<ViewRow> rowsOf(CompiledView view, PrimaryRecord primary) {
    try {
      return view.rows(primary.value(), primary.primaryKey());
    } catch (DerivationException e) {
      return List.of();
    }
  }

  private void check(Row actual, Map<String, Map<String, Object>> expected) {
    rows++;
    Map<String, Object> values = expected.remove(actual.id());
    if (values == null) {
      dangling++;
      sample("dangling", actual.id());
    } else if (!values.equals(compared(actual.values()))) {
      different++;
      sample("different", actual.id());
    }
  }

  private Map<String, Object> compared(Map<String, Object> values) {
    if (ignored.isEmpty()) {
      return values;
    }
    Map<String, Object> kept = new HashMap<>(values);
    kept.keySet().removeAll(ignored);
    return kept;
  }

  private void sample(String kind, String id) {
    if (samples.size() < MAX_SAMPLES) {
      samples.add(kind + " " + id);
    }
  }

  /** A primary record as it stands in its store now. */
  public record PrimaryRecord(String primaryKey, GenericRecord value) {}

  /**
   * What comparing a view with its primary records gave.
   *
   * @param records primary records read
   * @param rows rows that the target holds
   * @param missing how many derived rows the target lacks
   * @param dangling how many rows of the target no primary record derives
   * @param different how many rows are there with other values
   * @param samples the first differences, for messages
   */
  public record Verification(
      String view,
      long records,
      long rows,
      long missing,
      long dangling,
      long different,
      List<String> samples) {
    public Verification {
      samples = List.copyOf(samples);
    }

    /** Whether the view is exactly what its primary records derive. */
    public boolean exact() {
      return missing == 0 && dangling == 0 && different == 0;
    }
  }

  /** The rows of one view generation in its target. */
  public interface TargetRows {

    /** What the target should hold of a derived row. */
    Row expected(GenericRecord key, GenericRecord value, long revision);

    /** Passes on every row that the target holds, tombstones left out. */
    void forEach(Consumer<Row> rows);
  }
}
