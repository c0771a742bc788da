package io.indexview.client.admin;

import java.util.Collection;

/** Thrown for a view that does not exist. */
public final class ViewNotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String view;

  /**
   * @param known the views that there are
   */
  public ViewNotFoundException(String view, Collection<String> known) {
    super(
        "There is no view \"%s\"; %s"
            .formatted(
                view,
                known.isEmpty()
                    ? "there are none yet, apply a definition first"
                    : "the views are " + String.join(", ", known.stream().sorted().toList())));
    this.view = view;
  }

  public String view() {
    return view;
  }
}
