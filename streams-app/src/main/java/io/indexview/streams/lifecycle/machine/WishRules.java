package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.views.definition.ViewDefinition;
import java.util.Optional;

/**
 * Finds or makes the generation that serves the wish. Until there is one, and when the wish is
 * refused, everything goes on as it was wished before.
 */
final class WishRules {
  private final Draft draft;
  private final LifeSettings settings;
  private final long nowMs;

  WishRules(Draft draft, LifeSettings settings, long nowMs) {
    this.draft = draft;
    this.settings = settings;
    this.nowMs = nowMs;
  }

  /** What is being frozen may wait for ever: nobody waits for it who wants something else. */
  void giveUp() {
    if (!draft.isFreezingWanted()) {
      draft.giveUpFreezing();
    }
  }

  void apply() {
    ViewWish wish = draft.wish;
    if (wish == null || draft.deletion != null || wish.version() == draft.resolved) {
      return;
    }
    Optional<GenerationLife> standing =
        draft
            .at(Stage.PREPARED, Stage.BUILDING, Stage.SERVING, Stage.STANDBY)
            .filter(generation -> generation.serves(wish))
            .reduce((older, newer) -> newer);
    if (standing.isPresent()) {
      draft.accept(standing.get().number());
    } else if (draft.freezing == null) {
      definition(wish).ifPresent(definition -> bringAbout(wish, definition));
    }
  }

  private Optional<ViewDefinition> definition(ViewWish wish) {
    try {
      ViewDefinition definition = ViewDefinition.fromJson(wish.definition());
      String problem = problem(definition);
      if (problem.isEmpty()) {
        return Optional.of(definition);
      }
      draft.refuse(problem);
    } catch (IllegalArgumentException e) {
      draft.refuse(Texts.bounded(e.getMessage()));
    }
    return Optional.empty();
  }

  private String problem(ViewDefinition definition) {
    if (!definition.name().equals(draft.view)) {
      return "name: \"%s\" is not the name of the view, \"%s\""
          .formatted(definition.name(), draft.view);
    }
    String target = definition.target().type();
    if (draft.goal != 0 && !target.equals(draft.place.target())) {
      return "target: it cannot be changed from %s to %s; drop the view and define it again, or define another one"
          .formatted(draft.place.target(), target);
    }
    return "";
  }

  private void bringAbout(ViewWish wish, ViewDefinition definition) {
    if (draft.goal == 0) {
      draft.place = new ViewLife.Place(definition.source(), definition.target().type(), "");
    }
    if (wish.build().mode() == BuildMode.RESNAPSHOT && !isResnapshot(definition.source())) {
      return;
    }
    draft.resnapshot = null;
    draft.lastNumber++;
    String viewTopic =
        settings.topics().view(definition.target().type(), draft.view, draft.lastNumber);
    draft.freezing = new ViewLife.Freezing(wish, draft.lastNumber, viewTopic, draft.nextVersion());
    draft.stateOwed = true;
  }

  /** Whether the sources published everything again since this was wished; asks them to. */
  private boolean isResnapshot(String recordSet) {
    if (draft.resnapshot == null) {
      draft.resnapshot = new ViewLife.Resnapshot(recordSet, nowMs, false);
    }
    return draft.resnapshot.done();
  }
}
