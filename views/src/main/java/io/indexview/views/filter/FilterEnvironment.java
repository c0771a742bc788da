package io.indexview.views.filter;

import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction;
import dev.cel.common.CelOptions;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The part of CEL that filters have. What a filter says of a record must not depend on when, where
 * or on which Java it runs: no clock, no time zones, no text made of floating-point numbers. What
 * it costs is bounded: no value is larger than those of the record or the expression, so no texts
 * or lists are put together; and types are known, so that an operand of a wrong type can only be
 * null.
 */
final class FilterEnvironment {
  private static final Set<StandardFunction> FUNCTIONS =
      EnumSet.of(
          StandardFunction.CONDITIONAL,
          StandardFunction.LOGICAL_AND,
          StandardFunction.LOGICAL_OR,
          StandardFunction.LOGICAL_NOT,
          StandardFunction.NOT_STRICTLY_FALSE,
          StandardFunction.EQUALS,
          StandardFunction.NOT_EQUALS,
          StandardFunction.LESS,
          StandardFunction.LESS_EQUALS,
          StandardFunction.GREATER,
          StandardFunction.GREATER_EQUALS,
          StandardFunction.ADD,
          StandardFunction.SUBTRACT,
          StandardFunction.MULTIPLY,
          StandardFunction.DIVIDE,
          StandardFunction.MODULO,
          StandardFunction.NEGATE,
          StandardFunction.IN,
          StandardFunction.INDEX,
          StandardFunction.SIZE,
          StandardFunction.STARTS_WITH,
          StandardFunction.ENDS_WITH,
          StandardFunction.BOOL,
          StandardFunction.INT,
          StandardFunction.DOUBLE,
          StandardFunction.STRING,
          StandardFunction.BYTES,
          StandardFunction.DURATION,
          StandardFunction.TIMESTAMP,
          StandardFunction.GET_FULL_YEAR,
          StandardFunction.GET_MONTH,
          StandardFunction.GET_DATE,
          StandardFunction.GET_DAY_OF_MONTH,
          StandardFunction.GET_DAY_OF_WEEK,
          StandardFunction.GET_DAY_OF_YEAR,
          StandardFunction.GET_HOURS,
          StandardFunction.GET_MINUTES,
          StandardFunction.GET_SECONDS,
          StandardFunction.GET_MILLISECONDS);
  private static final Set<String> LEFT_OUT =
      Set.of("add_string", "add_bytes", "add_list", "double_to_string", "string_to_timestamp");
  private static final String TIME_ZONE = "_with_tz";
  private static final CelOptions OPTIONS =
      CelOptions.current()
          .enableHeterogeneousNumericComparisons(true)
          .enableReservedIds(false)
          .maxExpressionCodePointSize(FilterLimits.LENGTH)
          .maxParseRecursionDepth(FilterLimits.DEPTH)
          .comprehensionMaxIterations(FilterLimits.ELEMENTS)
          .build();
  private static final CelStandardDeclarations DECLARATIONS =
      CelStandardDeclarations.newBuilder()
          .filterFunctions(
              (function, overload) ->
                  FUNCTIONS.contains(function) && offers(overload.celOverloadDecl().overloadId()))
          .filterIdentifiers(identifier -> false)
          .build();
  private static final Set<CelStandardFunctions.StandardFunction> REPLACED =
      EnumSet.of(
          CelStandardFunctions.StandardFunction.MATCHES,
          CelStandardFunctions.StandardFunction.CONTAINS);

  private FilterEnvironment() {}

  private static boolean offers(String overload) {
    return !LEFT_OUT.contains(overload) && !overload.endsWith(TIME_ZONE);
  }

  /** Parses, and checks against the fields of a record. */
  static CelCompiler compiler(RecordTypes types) {
    CelCompilerBuilder builder =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setStandardDeclarations(DECLARATIONS)
            .setStandardEnvironmentEnabled(false)
            .setStandardMacros(
                CelStandardMacro.HAS,
                CelStandardMacro.ALL,
                CelStandardMacro.EXISTS,
                CelStandardMacro.EXISTS_ONE)
            .setTypeProvider(types.provider())
            .addFunctionDeclarations(TextFunctions.declarations())
            .setResultType(SimpleType.BOOL);
    types.fields().forEach(builder::addVar);
    return builder.build();
  }

  /**
   * @param steps what functions of texts, arrays and maps take; empty: nothing is evaluated often
   */
  static CelRuntime runtime(TextFunctions texts, Optional<Steps> steps) {
    Set<CelStandardFunctions.StandardFunction> replaced = EnumSet.copyOf(REPLACED);
    CelRuntimeBuilder builder =
        CelRuntimeFactory.plannerRuntimeBuilder()
            .setOptions(OPTIONS)
            .addFunctionBindings(texts.bindings());
    if (steps.isPresent()) {
      replaced.addAll(MeteredFunctions.REPLACED);
      builder.addFunctionBindings(MeteredFunctions.bindings(OPTIONS, steps.get()));
    }
    return builder
        .setStandardFunctions(CelStandardFunctions.newBuilder().excludeFunctions(replaced).build())
        .build();
  }

  /** The names of the functions and macros, as the author of a filter writes them. */
  static List<String> functionNames() {
    return Stream.concat(
            Stream.of(
                "has",
                "all",
                "exists",
                "exists_one",
                TextFunctions.MATCHES,
                TextFunctions.CONTAINS),
            FUNCTIONS.stream().map(StandardFunction::functionName))
        .filter(name -> Character.isLetter(name.charAt(0)))
        .sorted()
        .toList();
  }

  /** What a filter may cost: definitions come from outside, and run with every record. */
  static final class FilterLimits {
    /** Code points of an expression. */
    static final int LENGTH = 2_000;

    /** How deep an expression may be nested. */
    static final int DEPTH = 32;

    /** Elements that the macros of one evaluation may look at, and elements of an array or map. */
    static final int ELEMENTS = 10_000;

    /** Instructions of a regular expression. */
    static final int REGEX_PROGRAM = 500;

    /**
     * Characters, bytes and elements that one evaluation may look at, each counted as often as it
     * is looked at; by regular expressions, once per instruction. Well below a second.
     */
    static final long STEPS = 50_000_000;

    private FilterLimits() {}
  }
}
