package io.indexview.client.admin;

import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a definition changes of a view, and what that costs.
 *
 * @param before the spec that it is compared with; empty: there is none that can be read here
 * @param unreadable the record of the spec that cannot be read here, and why; empty: there is none
 * @param definition the wanted one, as canonical JSON
 * @param build of the wanted generation
 * @param verificationInterval as {@link ViewSpec} has it
 * @param cost what it means, in words
 * @param fields the properties that differ
 * @param after the spec that stands; empty: the change was not made
 */
public record ViewChange(
    String view,
    Optional<ViewSpec> before,
    Optional<String> unreadable,
    String definition,
    BuildRequest build,
    Optional<Duration> verificationInterval,
    Effect effect,
    String cost,
    List<Field> fields,
    Optional<ViewSpec> after) {
  public ViewChange {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(unreadable, "unreadable");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(build, "build");
    Objects.requireNonNull(verificationInterval, "verificationInterval");
    Objects.requireNonNull(effect, "effect");
    Objects.requireNonNull(cost, "cost");
    fields = List.copyOf(fields);
    Objects.requireNonNull(after, "after");
  }

  /** Whether there was no such view. */
  public boolean isNew() {
    return before.isEmpty() && unreadable.isEmpty();
  }

  /** What has to be done for a definition. */
  public enum Effect {
    /** The definition is wanted already. */
    NONE,
    /** The definition is wanted already, but was refused: the app looks at it once more. */
    RETRY,
    /** Only how the view is verified changes, at once. */
    UPDATE,
    /** A generation that stands holds its rows. */
    SWITCH,
    /** A generation is built while the old one serves. */
    BUILD,
    /** A generation is built, and nothing serves meanwhile. */
    BUILD_UNSERVED
  }

  /**
   * A property that differs.
   *
   * @param before as JSON; empty: not there
   * @param after as JSON; empty: not there
   */
  public record Field(String name, String before, String after) {}

  /** Returns the change as made. */
  ViewChange made(ViewSpec spec) {
    return new ViewChange(
        view,
        before,
        unreadable,
        definition,
        build,
        verificationInterval,
        effect,
        cost,
        fields,
        Optional.of(spec));
  }
}
