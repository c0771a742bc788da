package io.indexview.views.definition;

import io.indexview.views.filter.FilterIssue;
import io.indexview.views.filter.RecordFilter;
import org.apache.avro.Schema;

/** What a filter can say of a record. */
final class WhereRules {
  private static final int SHOWN = 80;

  private WhereRules() {}

  static void check(String where, Schema record, Findings findings) {
    String shown = where.length() <= SHOWN ? where : where.substring(0, SHOWN) + "...";
    boolean lines = where.strip().indexOf('\n') >= 0;
    for (FilterIssue issue : RecordFilter.issues(where, record)) {
      String place =
          lines
              ? "line %d, column %d: ".formatted(issue.line(), issue.column())
              : "column %d: ".formatted(issue.column());
      String remedy =
          issue.unknown() == null ? "" : "; " + Suggestions.remedy(issue.unknown(), issue.known());
      findings.add("where", shown, place + issue.message() + remedy);
    }
  }
}
