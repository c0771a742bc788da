package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Tells of record sets that have views and are not configured: nobody derives their rows, nor stops
 * to. {@link RecordSetWatch} tells that nothing hinders one that is configured again. Nobody asks
 * for it.
 */
public final class LeftOutRecordSets implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final ActionContext context;
  private final Set<String> reported = new TreeSet<>();

  public LeftOutRecordSets(ActionContext context) {
    this.context = context;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Set<String> leftOut =
        context.tables().generations().get().values().stream()
            .map(PublishedGeneration::recordSet)
            .filter(recordSet -> context.config().recordSet(recordSet).isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    for (String recordSet : leftOut) {
      if (reported.add(recordSet)) {
        found.accept(
            new Finding.RecordSetHindered(
                recordSet,
                "it is not among record.sets of the application, so that nobody derives its rows (put it back and restart the application; drop its views before you take it out)"));
      }
    }
    return new Again(PAUSE, "");
  }
}
