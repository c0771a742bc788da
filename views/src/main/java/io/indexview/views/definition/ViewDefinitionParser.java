package io.indexview.views.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads view definitions, JSON or YAML: a text is JSON if it begins with a brace, unless its origin
 * ends in {@code .yaml} or {@code .yml}.
 */
public final class ViewDefinitionParser {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final ObjectMapper YAML =
      YAMLMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final ViewValidator validator;

  /** Creates a parser for Indexview's own targets only. */
  public ViewDefinitionParser() {
    this(KnownTargets.OWN);
  }

  public ViewDefinitionParser(KnownTargets targets) {
    this.validator = new ViewValidator(targets);
  }

  /**
   * Reads one definition; its form is checked, its meaning is not ({@link ViewValidator}).
   *
   * @param origin where the text came from, for messages
   * @throws InvalidViewException with every problem of form
   */
  public ViewDefinition parse(String origin, String text) {
    DefinitionReader reader = new DefinitionReader(tree(origin, text));
    ViewDefinition definition = reader.read(true);
    if (!reader.problems().isEmpty()) {
      throw new InvalidViewException(origin, reader.problems());
    }
    return definition;
  }

  /**
   * Reads and validates one definition beside those that there are.
   *
   * @param origin where the text came from, for messages
   * @param recordSets by name
   * @param taken the names that others than this view have
   * @throws InvalidViewException with every problem, of form and of meaning
   */
  public ViewDefinition parse(
      String origin,
      String text,
      Map<String, RecordSet> recordSets,
      Function<ViewDefinition, StoreNames> taken) {
    List<Problem> problems = new ArrayList<>();
    ViewDefinition definition = check(origin, text, recordSets, problems);
    if (definition != null) {
      RecordSet recordSet = recordSets.get(definition.source());
      problems.addAll(taken.apply(definition).claim(definition, recordSet, origin));
    }
    if (!problems.isEmpty()) {
      throw new InvalidViewException(origin, problems);
    }
    return definition;
  }

  /**
   * Reads and validates the definitions of one installation.
   *
   * @param texts the texts by where they came from
   * @param recordSets by name
   * @return the definitions in the order of the texts
   * @throws InvalidViewException with every problem of every text, of form and of meaning, and
   *     between them
   */
  public List<ViewDefinition> parseAll(
      Map<String, String> texts, Map<String, RecordSet> recordSets) {
    List<ViewDefinition> definitions = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    StoreNames names = new StoreNames();
    texts.forEach(
        (origin, text) -> {
          List<Problem> found = new ArrayList<>();
          ViewDefinition definition = check(origin, text, recordSets, found);
          if (definition != null) {
            definitions.add(definition);
            RecordSet recordSet = recordSets.get(definition.source());
            found.addAll(names.claim(definition, recordSet, origin));
          }
          found.forEach(
              problem ->
                  problems.add(
                      new Problem(
                          problem.field().isEmpty() ? origin : origin + ": " + problem.field(),
                          problem.value(),
                          problem.message())));
        });
    if (!problems.isEmpty()) {
      throw new InvalidViewException("the set of views", problems);
    }
    return definitions;
  }

  /** Returns null if it is too broken to compare it with others. */
  private ViewDefinition check(
      String origin, String text, Map<String, RecordSet> recordSets, List<Problem> found) {
    DefinitionReader reader;
    try {
      reader = new DefinitionReader(tree(origin, text));
    } catch (InvalidViewException e) {
      found.addAll(e.problems());
      return null;
    }
    ViewDefinition definition = reader.read(true);
    found.addAll(reader.problems());
    List<String> noted = reader.problems().stream().map(Problem::field).toList();
    RecordSet recordSet = recordSets.get(definition.source());
    if (recordSet == null) {
      if (!noted.contains("source")) {
        found.add(
            new Problem(
                "source",
                definition.source(),
                "no such record set; "
                    + Suggestions.remedy(
                        definition.source(), recordSets.keySet().stream().sorted().toList())));
      }
      return null;
    }
    validator.problems(definition, recordSet).stream()
        .filter(problem -> noted.stream().noneMatch(problem.field()::startsWith))
        .forEach(found::add);
    return definition;
  }

  private static JsonNode tree(String origin, String text) {
    boolean yaml = origin.endsWith(".yaml") || origin.endsWith(".yml");
    ObjectMapper mapper = !yaml && text.stripLeading().startsWith("{") ? JSON : YAML;
    JsonNode tree;
    try {
      tree = mapper.readTree(text);
    } catch (JsonProcessingException e) {
      String place =
          e.getLocation() == null
              ? ""
              : "line %d, column %d: "
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new InvalidViewException(
          origin, List.of(new Problem("", "", place + e.getOriginalMessage())), e);
    }
    if (!tree.isObject()) {
      throw new InvalidViewException(
          origin,
          List.of(
              new Problem(
                  "",
                  "",
                  "holds no view definition; write properties, at least name,"
                      + " source, key and target")));
    }
    return tree;
  }
}
