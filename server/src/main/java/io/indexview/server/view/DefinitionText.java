package io.indexview.server.view;

import io.indexview.client.admin.ViewChange;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.ws.rs.core.MediaType;
import java.util.List;

/**
 * A definition as a request carries it.
 *
 * @param view that the request's path names
 * @param origin names the text in messages, and its language
 */
record DefinitionText(String view, String origin, String text) {
  static final String YAML = "application/yaml";

  /**
   * Takes a body.
   *
   * @param type null: the request names none, which stands for JSON
   * @throws ProblemException if it is not of its type
   */
  static DefinitionText of(String view, MediaType type, String text) {
    boolean yaml = type != null && type.isCompatible(MediaType.valueOf(YAML));
    if (!yaml && !text.stripLeading().startsWith("{")) {
      throw ProblemException.of(
          ProblemType.BAD_REQUEST, "the body is no JSON object; YAML has the type " + YAML);
    }
    return new DefinitionText(view, view + (yaml ? ".yaml" : ".json"), text);
  }

  /**
   * The change that the text makes.
   *
   * @throws ProblemException if it is of another view
   */
  ViewChange requireOwn(ViewChange change) {
    if (!change.view().equals(view)) {
      throw new ProblemException(
          ProblemDetails.of(ProblemType.INVALID_DEFINITION, "the definition is of another view")
              .with(
                  List.of(
                      new ProblemDetails.Item(
                          "name", change.view(), "the path names \"%s\"".formatted(view)))));
    }
    return change;
  }
}
