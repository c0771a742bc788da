package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Verifications of views for people. */
final class VerificationTables {
  /** A sample that is none. */
  static final double ALL_PERCENT = 100;

  private static final int SHOWN_CASES = 20;
  private static final Set<String> UNFINISHED = Set.of("failed", "cancelled");
  private static final Set<String> WRONG = Set.of("missing", "extra", "different");

  private VerificationTables() {}

  /** Rows that are wrong, and not repaired. */
  static long left(JsonNode verification) {
    JsonNode counts = verification.path("counts");
    return counts.path("wrong").asLong() - counts.path("repaired").asLong();
  }

  /** All that is known of one. */
  static void print(JsonNode verification, PrintWriter out) {
    out.println(
        TerminalText.clean(
            "Verification %s of view %s%s%s: %s%s%s"
                .formatted(
                    verification.path("id").asText(),
                    verification.path("view").asText(),
                    verification.hasNonNull("generation")
                        ? ", generation " + verification.path("generation").asInt()
                        : "",
                    sample(verification),
                    verification.path("status").asText(),
                    step(verification),
                    took(verification))));
    JsonNode counts = verification.path("counts");
    new TextTable(
            "read", "right", "missing", "extra", "different", "repaired", "unexpected", "unjudged")
        .row(
            counts.path("scanned").asLong(),
            counts.path("right").asLong(),
            counts.path("missing").asLong(),
            counts.path("extra").asLong(),
            counts.path("different").asLong(),
            counts.path("repaired").asLong(),
            counts.path("unexpected").path("total").asLong(),
            counts.path("unjudged").asLong())
        .print(out);
    if (UNFINISHED.contains(verification.path("status").asText())) {
      out.println("  it did not come to its end: what it had not compared is in no count");
    }
    printUnexpected(counts.path("unexpected"), out);
    printTombstones(counts, out);
    printOrphaned(verification, out);
    verification.path("sources").forEach(source -> out.println("  " + source(source)));
    if (verification.hasNonNull("visibleBefore")) {
      out.println(
          "  rests on scans of the sources: all changes before %s were derived when it began"
              .formatted(verification.path("visibleBefore").asText()));
    }
    printCases(verification.path("cases"), found(counts), out);
  }

  /** Everything that is a case. */
  private static long found(JsonNode counts) {
    return counts.path("wrong").asLong()
        + counts.path("unexpected").path("total").asLong()
        + counts.path("expiredTombstones").asLong()
        + counts.path("orphaned").asLong();
  }

  private static String source(JsonNode source) {
    String name =
        source.path("name").asText("no source")
            + (source.hasNonNull("sourcePartition")
                ? ", " + source.path("sourcePartition").asText()
                : "");
    return TerminalText.clean(
        source.hasNonNull("refused")
            ? "rests on no scan of %s: %s".formatted(name, source.path("refused").asText())
            : String.format(
                Locale.ROOT,
                "rests on scan %d of %s: %,d records, from %s to %s",
                source.path("scan").asLong(),
                name,
                source.path("records").asLong(),
                source.path("startedAt").asText(),
                source.path("endedAt").asText()));
  }

  private static void printUnexpected(JsonNode unexpected, PrintWriter out) {
    if (unexpected.path("total").asLong() > 0) {
      out.println(
          String.format(
              Locale.ROOT,
              "  unexpected: %,d undecodable, %,d of another generation, %,d without a revision%s",
              unexpected.path("undecodable").asLong(),
              unexpected.path("otherGeneration").asLong(),
              unexpected.path("unversioned").asLong(),
              removed(unexpected.path("removed"))));
    }
  }

  private static void printTombstones(JsonNode counts, PrintWriter out) {
    if (counts.path("expiredTombstones").asLong() > 0) {
      out.println(
          String.format(
              Locale.ROOT,
              "  tombstones: %,d, of which %,d should be gone%s",
              counts.path("tombstones").asLong(),
              counts.path("expiredTombstones").asLong(),
              removed(counts.path("removedTombstones"))));
    }
  }

  private static void printOrphaned(JsonNode verification, PrintWriter out) {
    long orphaned = verification.path("counts").path("orphaned").asLong();
    if (orphaned > 0) {
      out.println(
          String.format(
              Locale.ROOT,
              "  belonging to no view: %,d names or metadata, in the places of all views",
              orphaned));
    }
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    for (JsonNode one : verification.path("notLookedFor")) {
      kinds
          .computeIfAbsent(one.path("reason").asText(), reason -> new ArrayList<>())
          .add(one.path("kind").asText());
    }
    kinds.forEach(
        (reason, of) ->
            out.println(
                TerminalText.clean(
                    "  not looked for: %s (%s)".formatted(String.join(", ", of), reason))));
  }

  /** Orphaned places of a verification, in a line; empty unless it is done. */
  private static String orphaned(JsonNode verification) {
    JsonNode orphaned = verification.path("counts").path("orphaned");
    List<String> kinds = verification.path("notLookedFor").findValuesAsText("kind");
    if (orphaned.isNumber()) {
      return String.format(
          Locale.ROOT,
          ", orphaned %,d%s",
          orphaned.asLong(),
          kinds.isEmpty() ? "" : " (%s not looked for)".formatted(String.join(", ", kinds)));
    }
    return kinds.isEmpty() ? "" : ", orphaned not looked for";
  }

  private static String removed(JsonNode count) {
    return count.asLong() > 0 ? String.format(Locale.ROOT, "; %,d removed", count.asLong()) : "";
  }

  private static String step(JsonNode verification) {
    String step = verification.path("step").asText("");
    boolean isSaid = step.equals(verification.path("status").asText());
    return step.isEmpty() || isSaid ? "" : ", " + step;
  }

  private static String sample(JsonNode verification) {
    double percent = verification.path("samplePercent").asDouble(ALL_PERCENT);
    return percent < ALL_PERCENT
        ? String.format(Locale.ROOT, ", a sample of %s %% of its rows", shortest(percent))
        : "";
  }

  private static String shortest(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /** A verification that is over, in one line. */
  static String line(JsonNode verification) {
    JsonNode counts = verification.path("counts");
    return TerminalText.clean(
        String.format(
            Locale.ROOT,
            "%s  %s%s  %s%s  right %,d, wrong %,d, repaired %,d, unexpected %,d, unjudged %,d%s%s",
            Units.text(verification.path("endedAt")),
            verification.path("view").asText(),
            sample(verification),
            verification.path("status").asText(),
            step(verification),
            counts.path("right").asLong(),
            counts.path("wrong").asLong(),
            counts.path("repaired").asLong(),
            counts.path("unexpected").path("total").asLong(),
            counts.path("unjudged").asLong(),
            orphaned(verification),
            took(verification)));
  }

  /** Nothing of one that was cancelled before it began. */
  private static String took(JsonNode verification) {
    return verification.hasNonNull("startedAt") && verification.hasNonNull("endedAt")
        ? ", in "
            + Units.left(
                verification.path("endedAt"),
                Instant.parse(verification.path("startedAt").asText()))
        : "";
  }

  private static String done(JsonNode one) {
    if (!one.path("repaired").asBoolean()) {
      return "";
    }
    return WRONG.contains(one.path("kind").asText()) ? ", repaired" : ", removed";
  }

  private static void printCases(JsonNode cases, long found, PrintWriter out) {
    if (cases.isEmpty()) {
      return;
    }
    TextTable table = new TextTable("", "key", "primary key", "what it looks like");
    List<JsonNode> shown = shown(cases);
    for (JsonNode one : shown) {
      table.row(
          one.path("kind").asText() + done(one),
          one.path("key").asText(),
          one.path("primaryKey").asText(),
          one.path("cause").asText());
    }
    out.println();
    table.print(out);
    if (cases.size() > shown.size()) {
      out.println("  %d more with --output json".formatted(cases.size() - shown.size()));
    }
    if (cases.size() < found) {
      out.println(
          String.format(
              Locale.ROOT,
              "  of %,d in all; the first ones of each kind are kept, as far as a record takes them",
              found));
    }
  }

  /** Some cases of each kind, so that none hides another. */
  private static List<JsonNode> shown(JsonNode cases) {
    Map<String, List<JsonNode>> kinds = new LinkedHashMap<>();
    for (JsonNode one : cases) {
      kinds.computeIfAbsent(one.path("kind").asText(), kind -> new ArrayList<>()).add(one);
    }
    int ofEach = SHOWN_CASES / kinds.size();
    return kinds.values().stream().flatMap(kind -> kind.stream().limit(ofEach)).toList();
  }
}
