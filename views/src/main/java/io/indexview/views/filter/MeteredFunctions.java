package io.indexview.views.filter;

import dev.cel.common.CelOptions;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelStandardFunctions.StandardFunction;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import dev.cel.runtime.standard.BytesFunction;
import dev.cel.runtime.standard.CelStandardFunction;
import dev.cel.runtime.standard.DoubleFunction;
import dev.cel.runtime.standard.EndsWithFunction;
import dev.cel.runtime.standard.EqualsOperator;
import dev.cel.runtime.standard.GreaterEqualsOperator;
import dev.cel.runtime.standard.GreaterOperator;
import dev.cel.runtime.standard.InOperator;
import dev.cel.runtime.standard.IntFunction;
import dev.cel.runtime.standard.LessEqualsOperator;
import dev.cel.runtime.standard.LessOperator;
import dev.cel.runtime.standard.NotEqualsOperator;
import dev.cel.runtime.standard.SizeFunction;
import dev.cel.runtime.standard.StartsWithFunction;
import dev.cel.runtime.standard.StringFunction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The functions of CEL that look at whole texts, arrays and maps, such that they take steps. Once
 * each that is no more than reading the record; in a macro it is that for every element.
 */
final class MeteredFunctions {
  /** Functions by the names that CEL itself has for them. */
  private static final Map<String, CelStandardFunction> FUNCTIONS =
      Map.ofEntries(
          Map.entry("_==_", EqualsOperator.create()),
          Map.entry("_!=_", NotEqualsOperator.create()),
          Map.entry("_<_", LessOperator.create()),
          Map.entry("_<=_", LessEqualsOperator.create()),
          Map.entry("_>_", GreaterOperator.create()),
          Map.entry("_>=_", GreaterEqualsOperator.create()),
          Map.entry("@in", InOperator.create()),
          Map.entry("size", SizeFunction.create()),
          Map.entry("startsWith", StartsWithFunction.create()),
          Map.entry("endsWith", EndsWithFunction.create()),
          Map.entry("bytes", BytesFunction.create()),
          Map.entry("string", StringFunction.create()),
          Map.entry("int", IntFunction.create()),
          Map.entry("double", DoubleFunction.create()));

  /** What they take the place of. */
  static final Set<StandardFunction> REPLACED =
      Set.of(
          StandardFunction.EQUALS,
          StandardFunction.NOT_EQUALS,
          StandardFunction.LESS,
          StandardFunction.LESS_EQUALS,
          StandardFunction.GREATER,
          StandardFunction.GREATER_EQUALS,
          StandardFunction.IN,
          StandardFunction.SIZE,
          StandardFunction.STARTS_WITH,
          StandardFunction.ENDS_WITH,
          StandardFunction.BYTES,
          StandardFunction.STRING,
          StandardFunction.INT,
          StandardFunction.DOUBLE);

  private MeteredFunctions() {}

  static List<CelFunctionBinding> bindings(CelOptions options, Steps steps) {
    RuntimeEquality equality = RuntimeEquality.create(RuntimeHelpers.create(), options);
    return FUNCTIONS.entrySet().stream()
        .map(
            function ->
                metered(
                    function.getKey(),
                    function.getValue().newFunctionBindings(options, equality),
                    steps))
        .flatMap(Collection::stream)
        .toList();
  }

  private static Collection<CelFunctionBinding> metered(
      String name, Collection<CelFunctionBinding> bindings, Steps steps) {
    List<CelFunctionBinding> overloads =
        bindings.stream()
            .filter(binding -> !binding.getOverloadId().equals(name))
            .map(binding -> metered(binding, steps))
            .toList();
    return CelFunctionBinding.fromOverloads(name, overloads);
  }

  @SuppressWarnings("Immutable") // bound to one filter, which one thread uses
  private static CelFunctionBinding metered(CelFunctionBinding binding, Steps steps) {
    return CelFunctionBinding.from(
        binding.getOverloadId(),
        binding.getArgTypes(),
        operands -> {
          for (Object operand : operands) {
            steps.take(Steps.of(operand));
          }
          return binding.getDefinition().apply(operands);
        });
  }
}
