package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.CommandException;
import java.util.OptionalLong;

/**
 * What is waited for.
 *
 * @param version of its definition; empty: whatever is wanted
 */
record Awaited(String view, OptionalLong version) {
  static Awaited any(String view) {
    return new Awaited(view, OptionalLong.empty());
  }

  /** What a change has made of a view. */
  static Awaited after(JsonNode change, String view) {
    return new Awaited(view, OptionalLong.of(change.path("version").longValue()));
  }

  /**
   * Whether a view serves it, and its target tells readers so. Where the server cannot look at the
   * target, being ready is all that is asked.
   *
   * @param status as the server tells it
   * @throws CommandException.NotFound if it never will, since the view was dropped
   * @throws CommandException.Conflict if it never will, since the view was changed again
   */
  boolean isServed(JsonNode status) {
    if (!status.hasNonNull("version")) {
      throw new CommandException.NotFound("view %s is being deleted".formatted(view));
    }
    long wanted = status.path("version").longValue();
    if (wanted > version.orElse(wanted)) {
      throw new CommandException.Conflict(
          "view %s was changed again: version %d was waited for, version %d is wanted now"
              .formatted(view, version.getAsLong(), wanted));
    }
    return wanted == version.orElse(wanted)
        && status.path("ready").asBoolean()
        && status.path("shown").asBoolean(true);
  }
}
