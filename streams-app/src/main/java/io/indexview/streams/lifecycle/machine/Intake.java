package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.lifecycle.view.Faults;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.views.definition.ViewGeneration;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Takes what happened into the draft; what follows from it is the rules' matter. */
final class Intake {
  private final Draft draft;
  private final Map<String, Work> wanted;

  /**
   * @param wanted by id, before the event: an answer to anything else is late, or a repetition
   */
  Intake(Draft draft, Map<String, Work> wanted) {
    this.draft = draft;
    this.wanted = wanted;
  }

  void take(ViewEvent event) {
    if (event instanceof ViewEvent.Wished wished) {
      wished(wished.wish());
    } else if (event instanceof ViewEvent.Dropped) {
      dropped();
    } else if (event instanceof ViewEvent.Unreadable unreadable && draft.wish != null) {
      draft.refusal = unreadable.reason();
    } else if (event instanceof ViewEvent.Reported reported) {
      reported(reported.progress());
    } else if (event instanceof ViewEvent.Worked worked) {
      worked(worked.result());
    } else if (event instanceof ViewEvent.SetsBroken broken) {
      draft.broken = broken.reasons();
    }
  }

  private void wished(ViewWish wish) {
    if (wish.equals(draft.wish)) {
      return;
    }
    draft.wish = wish;
    draft.refusal = "";
    draft.resnapshot = null;
    if (draft.resolved == wish.version()) {
      draft.resolved = 0;
    }
  }

  private void dropped() {
    boolean known = draft.wish != null;
    draft.wish = null;
    draft.refusal = "";
    draft.resnapshot = null;
    if (known && draft.deletion == null) {
      draft.deletion = ViewLife.Deletion.BEGUN;
      draft.goal = 0;
      draft.checking = null;
    }
  }

  private void reported(TaskProgress report) {
    draft
        .generation(report.generation())
        .filter(generation -> generation.published().recordSet().equals(report.recordSet()))
        .filter(generation -> report.partition() >= 0)
        .filter(generation -> report.partition() < generation.frozen().partitions())
        .ifPresent(generation -> draft.put(generation.with(Texts.bounded(report))));
  }

  private void worked(WorkResult result) {
    if (result instanceof WorkResult.Answer answer) {
      Work work = wanted.get(answer.work());
      if (work != null) {
        answered(work, answer);
      } else if (answer instanceof WorkResult.Frozen frozen) {
        foundTopic(frozen.generation(), frozen.published().viewTopic());
      }
    } else if (result instanceof WorkResult.TopicFound found) {
      foundTopic(found.generation(), found.viewTopic());
    } else if (result instanceof WorkResult.Waiting waiting) {
      draft.waiting.put(waiting.work(), Texts.bounded(waiting.reason()));
    } else if (result instanceof WorkResult.RowRejected letter) {
      faults(letter.generation(), faults -> faults.after(Texts.bounded(letter)));
    } else if (result instanceof WorkResult.RowSuperseded superseded) {
      faults(superseded.generation(), faults -> faults.after(superseded));
    } else if (result instanceof WorkResult.SinkFellBehind behind) {
      faults(behind.generation(), faults -> faults.fellBehind(Texts.bounded(behind.reason())));
    } else if (result instanceof WorkResult.SchemaChecked checked) {
      faults(checked.generation(), faults -> faults.schemaChecked(Texts.bounded(checked.reason())));
    }
  }

  private void faults(int number, UnaryOperator<Faults> change) {
    draft
        .generation(number)
        .ifPresent(generation -> draft.put(generation.with(change.apply(generation.faults()))));
  }

  private void answered(Work work, WorkResult.Answer answer) {
    if (answer instanceof WorkResult.Refused refused) {
      refused(work, Texts.bounded(refused.reason()));
    } else if (work instanceof Work.Freeze) {
      if (answer instanceof WorkResult.Frozen frozen) {
        frozen(frozen);
      }
    } else if (answer instanceof WorkResult.Done) {
      done(work);
    }
  }

  private void refused(Work work, String reason) {
    if (work instanceof Work.Freeze) {
      draft.giveUpFreezing();
      draft.refuse(reason);
    } else if (work instanceof Work.RequestResnapshot) {
      draft.resnapshot = null;
      draft.refuse(reason);
    }
  }

  private void frozen(WorkResult.Frozen frozen) {
    try {
      draft.put(generation(frozen));
      draft.accept(frozen.generation());
      draft.freezing = null;
    } catch (IllegalArgumentException e) {
      draft.giveUpFreezing();
      draft.refuse(Texts.bounded(e.getMessage()));
    }
  }

  /**
   * A worker that was left behind may make a topic again after it was deleted, or one that only an
   * aborted transaction wanted: then its number is used up as well.
   */
  private void foundTopic(int number, String viewTopic) {
    boolean isFreezing = draft.freezing != null && draft.freezing.number() == number;
    if (!isFreezing && draft.generation(number).isEmpty() && !draft.isLeftover(number)) {
      draft.lastNumber = Math.max(draft.lastNumber, number);
      draft.leaveTopic(number, viewTopic);
    }
  }

  private GenerationLife generation(WorkResult.Frozen frozen) {
    ViewGeneration description = ViewGeneration.fromJson(frozen.description());
    GenerationLife.Place place =
        new GenerationLife.Place(description.definition().target().type(), description.storeName());
    return new GenerationLife(
        frozen.published(),
        new GenerationLife.Frozen(frozen.description(), place, frozen.partitions()),
        new GenerationLife.Standing(
            Stage.PREPARED, draft.nextVersion(), GenerationLife.Standing.NO_GRACE),
        Map.of(),
        Faults.NONE);
  }

  private void done(Work work) {
    if (work instanceof Work.RequestResnapshot) {
      draft.resnapshot = draft.resnapshot.whenDone();
    } else if (work instanceof Work.CheckReady) {
      draft.passed = true;
    } else if (work instanceof Work.CheckStateApplied check) {
      draft.applied = check.version();
      if (check.expected() == Work.StateRecord.TOMBSTONE) {
        draft.deletion = draft.deletion.whenTold();
      }
    } else if (work instanceof Work.CheckTopicApplied) {
      draft.generation(work.generation()).ifPresent(found -> draft.move(found, Stage.DRAINED));
    } else if (work instanceof Work.RemoveRows) {
      draft.publications.add(new Publication.GenerationGone(draft.view, work.generation()));
      draft.generation(work.generation()).ifPresent(draft::remove);
    } else if (work instanceof Work.DeleteTopic) {
      draft.topicGone(work.generation());
    }
  }
}
