package io.indexview.streams.lifecycle.machine;

import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;

/** Takes a dropped view away: its generations, then its state, then its topics. */
final class DeletionRules {
  private final Draft draft;

  DeletionRules(Draft draft) {
    this.draft = draft;
  }

  void apply() {
    if (draft.deletion == null) {
      return;
    }
    if (draft.deletion.tombstone() == 0) {
      draft
          .at(Stage.SERVING, Stage.STANDBY)
          .forEach(generation -> draft.move(generation, Stage.LEAVING));
      if (draft.generations().isEmpty()) {
        bury();
      }
    } else if (draft.deletion.told() && !draft.hasLeftovers()) {
      forget();
    }
  }

  private void bury() {
    draft.version = draft.nextVersion();
    boolean nobodyToTell = draft.place.target().isEmpty();
    draft.deletion = new ViewLife.Deletion(draft.version, nobodyToTell);
    draft.publications.add(new Publication.StateGone(draft.view));
  }

  /** All but the numbers; a view of this name may be wished for again. */
  private void forget() {
    draft.deletion = null;
    draft.resolved = 0;
    draft.place = ViewLife.Place.NONE;
  }
}
