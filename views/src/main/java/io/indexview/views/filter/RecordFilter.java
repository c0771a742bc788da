package io.indexview.views.filter;

import dev.cel.common.CelErrorCode;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelVariableResolver;
import io.indexview.views.filter.FilterEnvironment.FilterLimits;
import io.indexview.views.filter.Steps.StepsExceededError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/**
 * A CEL expression that tells which records belong to a view; its variables are the record's
 * fields. What it says of a record is the same whenever and wherever it is asked, and what it costs
 * is bounded. Not safe for use by several threads: each compiles its own.
 *
 * <p>Null is equal to null alone. Anything else done with null, a comparison by order, a
 * calculation, a function, gives neither true nor false: {@code &&} and {@code ||} go by the other
 * operand if that decides, and a record for which the whole is undecided does not match.
 */
public final class RecordFilter {
  private final CelRuntime.Program program;
  private final Steps steps;
  private final Map<String, Variable> variables = new HashMap<>();

  private RecordFilter(CheckedFilter checked, Schema record) throws CelEvaluationException {
    this.steps = checked.steps();
    this.program = checked.runtime().createProgram(checked.ast());
    RecordValues values = new RecordValues(FilterLimits.ELEMENTS, steps);
    for (String name : names(checked)) {
      Schema.Field field = record.getField(name);
      if (field != null) {
        variables.put(name, new Variable(variables.size(), field.pos(), values.of(field.schema())));
      }
    }
  }

  /**
   * Everything that is wrong with an expression, empty if nothing is.
   *
   * @param record schema of the records
   */
  public static List<FilterIssue> issues(String expression, Schema record) {
    return List.copyOf(CheckedFilter.of(expression, record).issues());
  }

  /**
   * Compiles an expression without issues.
   *
   * @param record schema of the records that {@link #matches} gets; fields that the expression does
   *     not use may be missing
   * @throws IllegalArgumentException if there are issues
   */
  public static RecordFilter compile(String expression, Schema record) {
    CheckedFilter checked = CheckedFilter.of(expression, record);
    if (!checked.issues().isEmpty()) {
      throw new IllegalArgumentException("filter " + expression + ": " + checked.issues());
    }
    try {
      return new RecordFilter(checked, record);
    } catch (CelEvaluationException e) {
      throw new IllegalArgumentException("filter " + expression + ": " + e.getMessage(), e);
    }
  }

  /**
   * The top-level fields that an expression without issues uses.
   *
   * @throws IllegalArgumentException if there are issues
   */
  public static Set<String> fields(String expression, Schema record) {
    return compile(expression, record).variables.keySet();
  }

  private static Set<String> names(CheckedFilter checked) {
    return CelNavigableAst.fromAst(checked.ast())
        .getRoot()
        .allNodes()
        .filter(node -> node.getKind() == Kind.IDENT)
        .map(node -> node.expr().ident().name())
        .collect(Collectors.toSet());
  }

  /**
   * Whether a record matches.
   *
   * @param record generic, logical types unconverted; what it throws when the expression asks for a
   *     field passes through, unless the expression is decided without that field
   * @throws FilterException if it cannot be decided: the expression divides by zero, asks for what
   *     a map or array does not have, or looks at too much
   */
  public boolean matches(IndexedRecord record) throws FilterException {
    steps.renew();
    Variables values = new Variables(variables, record, steps);
    try {
      return Boolean.TRUE.equals(program.eval(values));
    } catch (StepsExceededError e) {
      throw new FilterException(reason(CelErrorCode.ITERATION_BUDGET_EXCEEDED));
    } catch (CelEvaluationException e) {
      if (values.failure != null) {
        throw values.failure;
      }
      // Types are checked, so an operand that no overload takes is null.
      if (e.getErrorCode() == CelErrorCode.OVERLOAD_NOT_FOUND) {
        return false;
      }
      // Messages of the library hold values of the record.
      throw new FilterException(reason(e.getErrorCode()));
    }
  }

  static String reason(CelErrorCode code) {
    return switch (code) {
      case DIVIDE_BY_ZERO -> "divides by zero";
      case NUMERIC_OVERFLOW -> "a number is too large for its type";
      case ATTRIBUTE_NOT_FOUND ->
          "asks a map for a key that it does not have, or an element that is null for a field; ask"
              + " first, as in \"a\" in m";
      case INDEX_OUT_OF_BOUNDS ->
          "asks an array for an element that it does not have; ask for its size first";
      case BAD_FORMAT, INVALID_ARGUMENT ->
          "a text or number is not what the function takes; a timestamp is written like 2017-08-20"
              + " or 2017-08-20T09:30:00Z, a duration like 36h or 90m";
      case ITERATION_BUDGET_EXCEEDED ->
          "looks at more than %,d elements of arrays and maps, or too often at too long texts"
              .formatted(FilterLimits.ELEMENTS);
      default -> "fails: " + code;
    };
  }

  /**
   * A field that the expression uses.
   *
   * @param index among them
   * @param position in the record
   */
  private record Variable(int index, int position, UnaryOperator<Object> conversion) {}

  /** The fields of one record, each converted once. */
  private static final class Variables implements CelVariableResolver {
    private final Map<String, Variable> variables;
    private final IndexedRecord record;
    private final Steps steps;
    private final Object[] values;
    private final long[] sizes;
    private RuntimeException failure;

    private Variables(Map<String, Variable> variables, IndexedRecord record, Steps steps) {
      this.variables = variables;
      this.record = record;
      this.steps = steps;
      this.values = new Object[variables.size()];
      this.sizes = new long[variables.size()];
    }

    @Override
    public Optional<Object> find(String name) {
      Variable variable = variables.get(name);
      if (variable == null) {
        return Optional.empty();
      }
      Object value = values[variable.index()];
      if (value == null) {
        value = variable.conversion().apply(field(variable.position()));
        values[variable.index()] = value;
        sizes[variable.index()] = value instanceof String ? 1 : Steps.of(value);
      }
      // CEL converts arrays and maps each time.
      steps.take(sizes[variable.index()]);
      return Optional.of(value);
    }

    private Object field(int position) {
      try {
        return record.get(position);
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
  }

  /**
   * A filter cannot tell whether a record matches; the message says why, without content of the
   * record.
   */
  public static final class FilterException extends Exception {
    FilterException(String message) {
      super(message);
    }
  }

  /**
   * One thing wrong with a filter.
   *
   * @param line from 1
   * @param column in code points, from 1
   * @param message what is wrong
   * @param unknown the name that does not exist; null if that is not what is wrong
   * @param known the names that could have been meant, empty without {@code unknown}
   */
  public record FilterIssue(
      int line, int column, String message, String unknown, List<String> known) {
    public FilterIssue {
      Objects.requireNonNull(message, "message");
      known = List.copyOf(known);
    }

    @Override
    public String toString() {
      return "line %d, column %d: %s".formatted(line, column, message);
    }
  }
}
