package io.indexview.views.definition;

import java.util.List;
import java.util.Map;

/** Reads view definitions, JSON or YAML (JSON is read as the subset of YAML that it is). */
public final class ViewDefinitionParser {

  /**
   * Reads one definition; its form is checked, its meaning is not ({@link ViewValidator}).
   *
   * @param origin where the text came from, for messages
   * @throws InvalidViewException with every problem of form
   */
  public ViewDefinition parse(String origin, String text) {
    throw new IllegalStateException("not built yet");
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
    throw new IllegalStateException("not built yet");
  }
}
