package io.indexview.server.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.admin.ViewStatus;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.server.json.Json;
import io.indexview.views.definition.ViewDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A view in an answer. What is null is not known, or does not apply, and is left out.
 *
 * @param uid by which metadata in a target is told from that of another installation
 * @param version of the definition; the ETag
 * @param ready whether it serves what is wanted, complete
 * @param reason why not
 * @param shown whether readers see it in the target; asked for single views that are ready
 * @param notShown why they are not, or why that is not known
 * @param rows that are served
 * @param keyBytes of the keys of these rows
 * @param visibleBefore every change that was made before is in the rows
 * @param heldBackBy what that waits for, if it stands still
 * @param lagMs age of the oldest change that the rows may not include
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ViewAnswer(
    String name,
    String uid,
    Long version,
    JsonNode definition,
    String recordSet,
    String target,
    String state,
    boolean ready,
    String reason,
    Boolean shown,
    String notShown,
    Instant changedAt,
    Long rows,
    Long keyBytes,
    Instant visibleBefore,
    String heldBackBy,
    Long lagMs,
    Integer servingGeneration,
    Integer buildingGeneration,
    List<Generation> generations,
    Progress progress) {

  /** All views. */
  public record Views(List<ViewAnswer> views) {}

  /**
   * One build of the view.
   *
   * @param standbyUntil how long it may be rolled back to
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Generation(
      int number,
      String role,
      long build,
      Long rows,
      Long keyBytes,
      Instant standbyUntil,
      JsonNode definition) {
    static Generation of(ViewState.Generation generation) {
      return new Generation(
          generation.number(),
          generation.role().name().toLowerCase(Locale.ROOT),
          generation.buildNumber(),
          boxed(generation.rows()),
          boxed(generation.keyBytes()),
          generation.standbyUntilMs().stream()
              .mapToObj(Instant::ofEpochMilli)
              .findFirst()
              .orElse(null),
          Json.tree(generation.description()).path("definition"));
    }
  }

  /** How far the generation has come that is being built, in primary records. */
  public record Progress(long done, long estimated, List<Partition> partitions) {
    static Progress of(List<ViewState.Progress> partitions) {
      return new Progress(
          partitions.stream().mapToLong(ViewState.Progress::done).sum(),
          partitions.stream().mapToLong(ViewState.Progress::estimated).sum(),
          partitions.stream()
              .map(p -> new Partition(p.partition(), p.done(), p.estimated(), p.built()))
              .toList());
    }
  }

  /** How far one partition has come. */
  public record Partition(int partition, long done, long estimated, boolean built) {}

  static ViewAnswer of(ViewStatus status) {
    Optional<ViewState> state = status.state();
    JsonNode definition = status.spec().map(ViewAnswer::written).orElse(null);
    return new ViewAnswer(
        status.view(),
        state.map(ViewState::uid).filter(uid -> !uid.isEmpty()).orElse(null),
        status.spec().map(ViewSpec::version).orElse(null),
        definition,
        state.map(ViewState::recordSet).orElseGet(() -> text(definition, "source")),
        state.map(ViewState::target).orElseGet(() -> text(definition, "target")),
        status.phase().name(),
        status.ready(),
        status.reason().isEmpty() ? null : status.reason(),
        status.visibility().flatMap(ViewAnswer::shown).orElse(null),
        status.visibility().map(Visibility::reason).filter(why -> !why.isEmpty()).orElse(null),
        state.map(s -> Instant.ofEpochMilli(s.changedAtMs())).orElse(null),
        boxed(status.rows()),
        boxed(status.keyBytes()),
        status.visibleBefore().orElse(null),
        status.heldBackBy().isEmpty() ? null : status.heldBackBy(),
        status.lag().map(Duration::toMillis).orElse(null),
        state.flatMap(ViewState::serving).map(ViewState.Generation::number).orElse(null),
        state.flatMap(ViewState::building).map(ViewState.Generation::number).orElse(null),
        status.generations().stream().map(Generation::of).toList(),
        status.progress().isEmpty() ? null : Progress.of(status.progress()));
  }

  private static JsonNode written(ViewSpec spec) {
    return Json.tree(ViewDefinition.written(spec.definition(), spec.verificationInterval()));
  }

  private static Optional<Boolean> shown(Visibility visibility) {
    return visibility.answer() == Visibility.Answer.UNKNOWN
        ? Optional.empty()
        : Optional.of(visibility.answer() == Visibility.Answer.SHOWN);
  }

  private static String text(JsonNode definition, String property) {
    return definition == null ? null : definition.path(property).asText();
  }

  private static Long boxed(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }
}
