package io.indexview.server.view;

import io.indexview.schemas.control.BuildMode;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import java.util.Optional;
import java.util.Set;

/** The body of a rebuild. */
record RebuildRequest(BuildMode mode) {
  private static final String FROM = "from";

  /**
   * @param text empty: all by default
   */
  static RebuildRequest of(String text) {
    if (text == null || text.isBlank()) {
      return new RebuildRequest(BuildMode.STATE);
    }
    JsonBody body = JsonBody.parse(text, Set.of(FROM));
    Optional<BuildMode> mode =
        body.get(FROM, Form.text(BuildMode::of, "use state, changelog, snapshot or replay"));
    body.verify();
    return new RebuildRequest(mode.orElse(BuildMode.STATE));
  }
}
