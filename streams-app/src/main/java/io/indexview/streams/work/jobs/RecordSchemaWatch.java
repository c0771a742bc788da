package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.generation.RecordSetCatalog;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import io.indexview.views.definition.Problem;
import io.indexview.views.definition.RecordEvolution;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches whether the generations that stand can read the records that are written now: record
 * schemas change while the application runs. Nobody asks for it. Tells of each generation once, and
 * when that changes.
 */
public final class RecordSchemaWatch implements Job {
  private static final Logger LOGGER = LoggerFactory.getLogger(RecordSchemaWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final Surroundings around;
  private final RecordSetCatalog catalog;
  private final Map<String, String> told = new HashMap<>();

  public RecordSchemaWatch(Surroundings around, RecordSetCatalog catalog) {
    this.around = around;
    this.catalog = catalog;
  }

  @Override
  public Look look(Consumer<WorkResult> results) {
    Map<String, RecordSet> recordSets = catalog.known();
    Set<String> standing = new HashSet<>();
    for (ViewState state : around.tables().states().get().values()) {
      for (ViewState.Generation generation : state.generations()) {
        standing.add(PublishedGeneration.key(state.view(), generation.number()));
        check(state.view(), generation, recordSets, results);
      }
    }
    told.keySet().retainAll(standing);
    return new Look.Again(PAUSE, "");
  }

  private void check(
      String view,
      ViewState.Generation generation,
      Map<String, RecordSet> recordSets,
      Consumer<WorkResult> results) {
    ViewGeneration frozen;
    try {
      frozen = ViewGeneration.fromJson(generation.description());
    } catch (IllegalArgumentException e) {
      // Its tasks fail, and tell why.
      LOGGER.debug("Generation {} of view {} cannot be read", generation.number(), view, e);
      return;
    }
    RecordSet written = recordSets.get(frozen.recordSet().name());
    if (written == null) {
      return;
    }
    String reason =
        RecordEvolution.problems(frozen, written.schema()).stream()
            .map(Problem::toString)
            .collect(Collectors.joining("; "));
    String key = PublishedGeneration.key(view, generation.number());
    if (!reason.equals(told.put(key, reason))) {
      results.accept(new WorkResult.SchemaChecked(view, generation.number(), reason));
    }
  }
}
