package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.RecordSetCatalog;
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
public final class RecordSchemaWatch implements Activity {
  private static final Logger LOGGER = LoggerFactory.getLogger(RecordSchemaWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final ActionContext context;
  private final RecordSetCatalog catalog;
  private final Map<String, String> checked = new HashMap<>();

  public RecordSchemaWatch(ActionContext context, RecordSetCatalog catalog) {
    this.context = context;
    this.catalog = catalog;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Map<String, RecordSet> recordSets = catalog.known();
    Set<String> standing = new HashSet<>();
    for (ViewState state : context.tables().states().get().values()) {
      for (ViewState.Generation generation : state.generations()) {
        standing.add(PublishedGeneration.key(state.view(), generation.number()));
        check(state.view(), generation, recordSets, found);
      }
    }
    checked.keySet().retainAll(standing);
    return new Again(PAUSE, "");
  }

  private void check(
      String view,
      ViewState.Generation generation,
      Map<String, RecordSet> recordSets,
      Consumer<Finding> found) {
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
    if (!reason.equals(checked.put(key, reason))) {
      found.accept(new Finding.SchemaChecked(view, generation.number(), reason));
    }
  }
}
