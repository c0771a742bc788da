package io.indexview.views.filter;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.filter.RecordFilter.FilterIssue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.avro.Schema;

/** Says in the words of records and filters what the library has found. */
final class IssueReader {
  private static final Pattern NO_OVERLOAD =
      Pattern.compile("found no matching overload for '(.+?)' applied to '(.*?)'( \\(cand.*)?");
  private static final Pattern TOKENS = Pattern.compile(" expecting \\{.*");
  private static final Pattern END = Pattern.compile("'?<EOF>'?");
  private static final Pattern WRAPPER = Pattern.compile("wrapper\\(([a-z]+)\\)");
  private static final Pattern PROTOBUF = Pattern.compile("google\\.protobuf\\.([A-Z])");

  private final Schema record;
  private final CelAbstractSyntaxTree parsed;

  IssueReader(Schema record, CelAbstractSyntaxTree parsed) {
    this.record = record;
    this.parsed = parsed;
  }

  /** An issue of the parser, before there is a syntax tree. */
  static FilterIssue syntax(CelIssue issue) {
    String message = TOKENS.matcher(issue.getMessage()).replaceFirst("");
    String remedy = message.endsWith("at: '= '") ? "; compare with ==" : "";
    return issue(
        issue.getSourceLocation(),
        "syntax: " + END.matcher(message).replaceAll("the end") + remedy);
  }

  /** An issue of the type checker. */
  FilterIssue read(CelIssue issue) {
    Optional<CelNavigableExpr> node =
        CelNavigableAst.fromAst(parsed)
            .getRoot()
            .allNodes()
            .filter(each -> each.id() == issue.getExprId())
            .findFirst();
    boolean undeclared = issue.getMessage().startsWith("undeclared reference");
    if (node.isPresent() && (undeclared || issue.getMessage().startsWith("undefined field"))) {
      CelExpr expr = node.get().expr();
      if (expr.getKind() == CelExpr.ExprKind.Kind.CALL) {
        return unknown(
            issue, expr.call().function(), "no such function", FilterEnvironment.functionNames());
      }
      List<String> path = path(expr);
      // The fields of what a macro goes through are not looked up.
      if (!path.isEmpty() && (undeclared || record.getField(path.get(0)) != null)) {
        return unknownField(issue, path);
      }
    }
    return issue(issue.getSourceLocation(), plain(issue.getMessage()));
  }

  /** The steps of a path; empty if it does not begin with a name. */
  private static List<String> path(CelExpr expr) {
    List<String> path = new ArrayList<>();
    CelExpr current = expr;
    while (current.getKind() == CelExpr.ExprKind.Kind.SELECT) {
      path.add(0, current.select().field());
      current = current.select().operand();
    }
    if (current.getKind() != CelExpr.ExprKind.Kind.IDENT) {
      return List.of();
    }
    path.add(0, current.ident().name());
    return path;
  }

  private FilterIssue unknownField(CelIssue issue, List<String> path) {
    Schema current = record;
    String done = "";
    for (String step : path) {
      Schema.Field field = current.getType() == Schema.Type.RECORD ? current.getField(step) : null;
      if (field == null) {
        break;
      }
      if (!RecordTypes.usable(field.schema())) {
        return issue(
            issue.getSourceLocation(),
            "\"%s%s\" is or holds a decimal or a union of several types; filters cannot use it"
                .formatted(done, step));
      }
      done += step + ".";
      current = PlainValues.withoutNull(field.schema());
    }
    String parent = done;
    List<String> known =
        current.getType() == Schema.Type.RECORD
            ? current.getFields().stream()
                .filter(field -> RecordTypes.usable(field.schema()))
                .map(field -> parent + field.name())
                .toList()
            : List.of();
    return unknown(
        issue, String.join(".", path), "no such field in schema " + record.getFullName(), known);
  }

  private static FilterIssue unknown(
      CelIssue issue, String name, String message, List<String> known) {
    CelSourceLocation place = issue.getSourceLocation();
    return new FilterIssue(
        place.getLine(), place.getColumn() + 1, "\"" + name + "\": " + message, name, known);
  }

  static FilterIssue issue(CelSourceLocation place, String message) {
    return new FilterIssue(
        Math.max(1, place.getLine()), Math.max(0, place.getColumn()) + 1, message, null, List.of());
  }

  private static String plain(String message) {
    Matcher overload = NO_OVERLOAD.matcher(message);
    String text =
        overload.matches()
            ? "%s does not take %s".formatted(operator(overload.group(1)), overload.group(2))
            : message;
    text = WRAPPER.matcher(text).replaceAll("$1 or null");
    return PROTOBUF.matcher(text).replaceAll(match -> match.group(1).toLowerCase(Locale.ROOT));
  }

  /** CEL calls operators {@code _+_}, {@code !_}, {@code _[_]} and {@code @in}. */
  private static String operator(String function) {
    return function.replace("_", "").replace("@", "");
  }
}
