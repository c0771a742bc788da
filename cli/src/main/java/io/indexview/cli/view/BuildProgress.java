package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;

/** Shows how far a view is. */
interface BuildProgress {
  /**
   * Shows a view as the server has just told of it.
   *
   * @param last nothing follows
   */
  void show(JsonNode view, boolean last);
}
