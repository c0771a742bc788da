package io.indexview.server.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/** A JSON object in a request, read property by property; all problems are named at once. */
public final class JsonBody {
  private final JsonNode object;
  private final String prefix;
  private final List<ProblemDetails.Item> problems;

  private JsonBody(
      JsonNode object, String prefix, List<ProblemDetails.Item> problems, Set<String> known) {
    this.object = object;
    this.prefix = prefix;
    this.problems = problems;
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                wrong(name, "no such property; use " + String.join(", ", new TreeSet<>(known)));
              }
            });
  }

  /**
   * Reads a body.
   *
   * @param known the properties that it may have
   * @throws ProblemException if it is no JSON object
   */
  public static JsonBody parse(String text, Set<String> known) {
    JsonNode tree;
    try {
      tree = Json.MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw notJson(place(e.getLocation()) + e.getOriginalMessage());
    } catch (NumberFormatException e) {
      // Thrown as it is for exponents beyond an int's.
      throw notJson("a number has too large an exponent");
    }
    if (!tree.isObject()) {
      throw ProblemException.of(ProblemType.BAD_REQUEST, "the body is no JSON object");
    }
    return new JsonBody(tree, "", new ArrayList<>(), known);
  }

  /**
   * The objects of a property that must be an array of some; their problems are named with those of
   * this one.
   *
   * @param known the properties that each may have
   */
  public List<JsonBody> objects(String property, int max, Set<String> known) {
    String remedy = "use an array of 1 to %,d objects".formatted(max);
    List<JsonBody> objects = new ArrayList<>();
    require(
            property,
            new Form<>(
                value ->
                    value.isArray()
                        && !value.isEmpty()
                        && value.size() <= max
                        && value.valueStream().allMatch(JsonNode::isObject),
                value -> value,
                remedy))
        .ifPresent(
            array ->
                array.forEach(
                    object ->
                        objects.add(
                            new JsonBody(
                                object,
                                "%s[%d].".formatted(path(property), objects.size()),
                                problems,
                                known))));
    return objects;
  }

  private static ProblemException notJson(String reason) {
    return ProblemException.of(ProblemType.BAD_REQUEST, "the body is not JSON: " + reason);
  }

  /**
   * Position in the body; empty where the parser gives none, as for a body that is nested too deep,
   * or too long.
   */
  private static String place(JsonLocation at) {
    return at == null ? "" : "line %d, column %d: ".formatted(at.getLineNr(), at.getColumnNr());
  }

  /** Where a property stands in the body. */
  public String path(String property) {
    return prefix + property;
  }

  /** Notes something that is wrong anywhere in the body. */
  public void wrong(ProblemDetails.Item problem) {
    problems.add(problem);
  }

  /** Notes that a property is there. */
  public void refuse(String property, String message) {
    if (object.hasNonNull(property)) {
      wrong(property, message);
    }
  }

  /** Notes that a property is wrong. */
  public void wrong(String property, String message) {
    JsonNode value = object.get(property);
    wrong(
        new ProblemDetails.Item(
            path(property),
            value == null || value.isContainerNode() ? "" : value.asText(),
            message));
  }

  /**
   * A property; empty if it is not there, null, or of another form, which is noted.
   *
   * @param form how it is read, and what to say of another
   */
  public <T> Optional<T> get(String property, Form<T> form) {
    JsonNode value = object.path(property);
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    if (!form.fits().test(value)) {
      wrong(property, form.remedy());
      return Optional.empty();
    }
    try {
      return Optional.of(form.reading().apply(value));
    } catch (IllegalArgumentException e) {
      wrong(property, e.getMessage());
      return Optional.empty();
    }
  }

  /** Returns the value of a property that must be there. */
  public <T> Optional<T> require(String property, Form<T> form) {
    if (!object.hasNonNull(property)) {
      wrong(property, "is missing; " + form.remedy());
    }
    return get(property, form);
  }

  /** Whether nothing is wrong so far. */
  public boolean isRight() {
    return problems.isEmpty();
  }

  /**
   * Ends the request if anything is wrong.
   *
   * @throws ProblemException naming all problems
   */
  public void verify() {
    if (!problems.isEmpty()) {
      throw ProblemException.badParameters(problems);
    }
  }

  /**
   * How a property is read.
   *
   * @param reading throws {@link IllegalArgumentException} with a message for the user
   */
  public record Form<T>(Predicate<JsonNode> fits, Function<JsonNode, T> reading, String remedy) {
    public static final Form<Boolean> BOOLEAN =
        new Form<>(JsonNode::isBoolean, JsonNode::asBoolean, "use true or false");
    public static final Form<JsonNode> OBJECT =
        new Form<>(JsonNode::isObject, value -> value, "use a JSON object");

    /** A text with a meaning. */
    public static <T> Form<T> text(Function<String, T> reading, String remedy) {
      return new Form<>(JsonNode::isTextual, value -> reading.apply(value.textValue()), remedy);
    }
  }
}
