package io.indexview.views.filter;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.NullableType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import io.indexview.views.filter.FilterEnvironment.FilterLimits;
import io.indexview.views.filter.RecordFilter.FilterIssue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/** An expression as far as it can be understood without a record, and what is wrong with it. */
final class CheckedFilter {
  private static final Set<String> CONDITIONS = Set.of("_&&_", "_||_", "_?_:_");
  private static final CelSourceLocation START = CelSourceLocation.of(1, 0);

  private final List<FilterIssue> issues = new ArrayList<>();
  private final Map<String, Pattern> patterns = new HashMap<>();
  private CelAbstractSyntaxTree ast;
  private final Steps steps = new Steps();
  private TextFunctions texts;
  private boolean hasMacros;

  private CheckedFilter() {}

  static CheckedFilter of(String expression, Schema record) {
    CheckedFilter checked = new CheckedFilter();
    if (expression.isBlank()) {
      checked.issues.add(IssueReader.issue(START, "is empty; write a condition, or leave it out"));
      return checked;
    }
    try {
      checked.ast = checked.check(expression, record);
    } catch (CelValidationException | RuntimeException e) {
      checked.issues.add(IssueReader.issue(START, "cannot be checked: " + e.getMessage()));
    }
    if (checked.ast != null) {
      checked.scan();
    }
    return checked;
  }

  /** Null if there are issues. */
  private CelAbstractSyntaxTree check(String expression, Schema record)
      throws CelValidationException {
    CelCompiler compiler = FilterEnvironment.compiler(RecordTypes.of(record));
    CelValidationResult parsed = compiler.parse(expression);
    if (parsed.hasError()) {
      parsed.getErrors().stream().map(IssueReader::syntax).forEach(issues::add);
      return null;
    }
    CelValidationResult result = compiler.check(parsed.getAst());
    if (result.hasError() && !result.getErrors().isEmpty()) {
      IssueReader reader = new IssueReader(record, parsed.getAst());
      result.getErrors().stream().map(reader::read).forEach(issues::add);
      return null;
    }
    return result.getAst();
  }

  /** Finds what would fail with every record, and works out what is the same for all of them. */
  private void scan() {
    List<CelExpr> nodes =
        CelNavigableAst.fromAst(ast).getRoot().allNodes().map(node -> node.expr()).toList();
    nodes.stream().filter(this::isMixed).forEach(this::refuseMixed);
    List<CelExpr> calls = nodes.stream().filter(node -> node.getKind() == Kind.CALL).toList();
    calls.forEach(this::checkCondition);
    calls.stream()
        .filter(call -> call.call().function().equals(TextFunctions.MATCHES))
        .forEach(this::checkPattern);
    texts = new TextFunctions(patterns, steps);
    hasMacros = nodes.stream().anyMatch(node -> node.getKind() == Kind.COMPREHENSION);
    List<CelExpr> constant = calls.stream().filter(CheckedFilter::isConstant).toList();
    if (!constant.isEmpty() && issues.isEmpty()) {
      CelRuntime runtime = runtime();
      constant.forEach(call -> tryOut(call, runtime));
    }
  }

  private boolean isMixed(CelExpr expr) {
    return ast.getType(expr.id())
        .filter(
            type ->
                type.kind() == CelKind.DYN
                    || type.parameters().stream().anyMatch(part -> part.kind() == CelKind.DYN))
        .isPresent();
  }

  private void refuseMixed(CelExpr expr) {
    add(expr, "holds values of several types or of none; give all of them one type");
  }

  /** Refuses conditions that can be null: in CEL they are an error, not merely unknown. */
  private void checkCondition(CelExpr expr) {
    CelCall call = expr.call();
    if (!CONDITIONS.contains(call.function())) {
      return;
    }
    for (CelExpr operand : call.args()) {
      if (ast.getType(operand.id())
          .filter(NullableType.create(SimpleType.BOOL)::equals)
          .isPresent()) {
        add(operand, "can be null, so it is no condition; compare it, as in active == true");
      }
    }
  }

  private void checkPattern(CelExpr expr) {
    CelExpr regex = expr.call().args().get(0);
    if (regex.getKind() != Kind.CONSTANT) {
      add(regex, "the pattern of matches must be a text in quotes");
      return;
    }
    String text = regex.constant().stringValue();
    try {
      Pattern pattern = Pattern.compile(text);
      if (pattern.programSize() > FilterLimits.REGEX_PROGRAM) {
        add(regex, "the pattern is too complex; shorten it, or repeat less of it");
      }
      patterns.put(text, pattern);
    } catch (PatternSyntaxException e) {
      add(regex, "no pattern in the syntax of RE2: " + e.getMessage());
    }
  }

  private static boolean isConstant(CelExpr expr) {
    CelCall call = expr.call();
    return Stream.concat(call.target().stream(), call.args().stream())
        .allMatch(operand -> operand.getKind() == Kind.CONSTANT);
  }

  private void tryOut(CelExpr call, CelRuntime runtime) {
    call.call().args().stream()
        .map(CelExpr::constant)
        .filter(constant -> constant.getKind() == CelConstant.Kind.STRING_VALUE)
        .forEach(constant -> texts.remember(constant.stringValue()));
    try {
      runtime
          .createProgram(
              CelAbstractSyntaxTree.newCheckedAst(
                  call, ast.getSource(), ast.getReferenceMap(), ast.getTypeMap()))
          .eval();
    } catch (CelEvaluationException e) {
      add(call, RecordFilter.reason(e.getErrorCode()));
    }
  }

  private void add(CelExpr expr, String message) {
    CelSourceLocation place =
        ast.getSource()
            .getOffsetLocation(ast.getSource().getPositionsMap().getOrDefault(expr.id(), 0))
            .orElse(START);
    issues.add(IssueReader.issue(place, message));
  }

  List<FilterIssue> issues() {
    return issues;
  }

  CelAbstractSyntaxTree ast() {
    return ast;
  }

  /** What evaluates it. */
  CelRuntime runtime() {
    return FilterEnvironment.runtime(texts, hasMacros ? Optional.of(steps) : Optional.empty());
  }

  /** Taken by what {@link #runtime} evaluates. */
  Steps steps() {
    return steps;
  }
}
