package io.indexview.client.admin;

import java.util.Collection;

/** Nothing is known of such a source. */
public final class SourceNotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param known the sources that there are
   */
  public SourceNotFoundException(String source, Collection<String> known) {
    super(
        "There is no source \"%s\"; %s"
            .formatted(
                source,
                known.isEmpty()
                    ? "none has spoken yet"
                    : "the sources are " + String.join(", ", known.stream().sorted().toList())));
  }
}
