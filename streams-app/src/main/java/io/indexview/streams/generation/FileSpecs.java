package io.indexview.streams.generation;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.SpecLog.Wanted;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.streams.generation.Preparation.LoadedViews;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.spec.RequestedBuild;
import io.indexview.views.spec.TakenNames;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the views of files, as {@code views apply} does. A view without a file stays as it is.
 */
public final class FileSpecs {
  private static final Logger LOGGER = LoggerFactory.getLogger(FileSpecs.class);

  private final Topics topics;
  private final BiConsumer<String, Function<Map<String, ViewSpec>, Wanted>> specLog;

  /**
   * @param specLog asks for a view what follows from all specs that stand
   */
  public FileSpecs(
      Topics topics, BiConsumer<String, Function<Map<String, ViewSpec>, Wanted>> specLog) {
    this.topics = topics;
    this.specLog = specLog;
  }

  /**
   * What stands.
   *
   * @param specs by view
   * @param generations by {@link PublishedGeneration#key}
   * @param states by view
   */
  public record Standing(
      Map<String, ViewSpec> specs,
      Map<String, PublishedGeneration> generations,
      Map<String, ViewState> states) {

    private List<PublishedGeneration> published(String view) {
      return generations.values().stream()
          .filter(generation -> generation.view().equals(view))
          .toList();
    }

    /** Generations of a view that are not being retired, newest first. */
    private List<PublishedGeneration> staying(String view) {
      ViewState state = states.get(view);
      if (state == null) {
        return List.of();
      }
      Set<Integer> numbers =
          state.generations().stream()
              .filter(generation -> generation.role() != Role.RETIRING)
              .map(ViewState.Generation::number)
              .collect(Collectors.toSet());
      return published(view).stream()
          .filter(generation -> numbers.contains(generation.generation()))
          .sorted(Comparator.comparingInt(PublishedGeneration::generation).reversed())
          .toList();
    }
  }

  /**
   * Applies; everything is checked before anything is asked for.
   *
   * @param standing as of before; another process may change it meanwhile
   * @throws InvalidConfigException naming everything that is refused
   */
  public void apply(LoadedViews loaded, Standing standing) {
    List<String> problems = conflicts(loaded, standing);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("The views cannot be used", problems);
    }
    loaded.views().forEach(view -> spec(view, standing));
  }

  private List<String> conflicts(LoadedViews loaded, Standing standing) {
    Set<String> own = loaded.views().stream().map(ViewDefinition::name).collect(Collectors.toSet());
    Map<String, ViewSpec> specs = without(standing.specs(), spec -> own.contains(spec.view()));
    Map<String, PublishedGeneration> generations =
        without(standing.generations(), generation -> own.contains(generation.view()));
    Map<String, RecordSet> recordSets = loaded.recordSets();
    return loaded.views().stream()
        .flatMap(
            view ->
                new TakenNames(topics, recordSets)
                        .besides(view.name(), specs, generations)
                        .claim(view, recordSets.get(view.source()), view.name())
                        .stream()
                        .map(problem -> "view \"%s\": %s".formatted(view.name(), problem)))
        .toList();
  }

  private static <T> Map<String, T> without(Map<String, T> all, Predicate<T> dropped) {
    Map<String, T> kept = new HashMap<>(all);
    kept.values().removeIf(dropped);
    return kept;
  }

  private void spec(ViewDefinition view, Standing standing) {
    Collection<PublishedGeneration> staying = standing.staying(view.name());
    Collection<PublishedGeneration> published = standing.published(view.name());
    ViewState state = standing.states().get(view.name());
    specLog.accept(
        view.name(), specs -> wanted(view, specs.get(view.name()), state, staying, published));
  }

  private static Wanted wanted(
      ViewDefinition view,
      ViewSpec present,
      ViewState state,
      Collection<PublishedGeneration> staying,
      Collection<PublishedGeneration> published) {
    Optional<Duration> interval = Optional.ofNullable(view.verificationInterval());
    if (present != null && isSame(present.definition(), view)) {
      // A rebuild that was refused is not asked for at each start: what the file says stands.
      boolean isBuilt = staying.stream().anyMatch(one -> isSame(one.definition(), view));
      boolean isRefused = state != null && state.refuses(present) && !isBuilt;
      return new Wanted(present.definition(), present.build(), interval, isRefused);
    }
    String json = view.toJson();
    return new Wanted(json, RequestedBuild.of(json, present, staying, published), interval);
  }

  /**
   * Whether two definitions mean the same: another release may write the same definition in another
   * way.
   */
  private static boolean isSame(String json, ViewDefinition view) {
    try {
      return ViewDefinition.fromJson(json).equals(view.withoutVerification());
    } catch (IllegalArgumentException e) {
      LOGGER.debug("The definition of view {} is of another release", view.name(), e);
      return false;
    }
  }
}
