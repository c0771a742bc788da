package io.indexview.views.definition;

import java.util.List;

/** Checks what definitions mean against the record sets they read from. */
public final class ViewValidator {

  /** Everything that is wrong with a definition, empty if nothing is. */
  public List<Problem> problems(ViewDefinition definition, RecordSet recordSet) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * @throws InvalidViewException with all {@link #problems}
   */
  public void validate(ViewDefinition definition, RecordSet recordSet) {
    throw new IllegalStateException("not built yet");
  }
}
