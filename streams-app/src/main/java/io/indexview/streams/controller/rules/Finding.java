package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import java.util.OptionalLong;

/**
 * What an action or a watch can find. It may repeat, or speak of what is not wanted any more, and
 * counts only when the control topics are read to an end taken after it. {@link Lost} is also read
 * from a topic, and {@link PublicationsLost} also seen at a takeover: then neither waits.
 */
public sealed interface Finding extends ControlEvent {

  /**
   * Goes to the rules of its view at once. {@link FreshnessProven} does not, though it is of one
   * view: it counts at the end of a tick, behind all that is found wrong.
   */
  sealed interface OfView extends Finding, ControlEvent.ViewEvent {
    /** 0: of no generation. */
    int generation();
  }

  /** The answer to an action. */
  sealed interface Answer extends OfView {
    /** {@link Action#id}. */
    String action();
  }

  record Done(String view, int generation, String action) implements Answer {
    public static Done of(Action action) {
      return new Done(action.view(), action.generation(), action.id());
    }
  }

  /** The action cannot be done, now or later. */
  record Refused(String view, int generation, String action, String reason) implements Answer {
    public static Refused of(Action action, String reason) {
      return new Refused(action.view(), action.generation(), action.id(), reason);
    }
  }

  /**
   * Answer to {@link Action.Freeze}: everything that the generation needs exists, except its
   * publication.
   *
   * @param published as it is to be published
   * @param description the frozen generation as JSON
   * @param partitions of the record set's topic, and of the view topic
   */
  record Frozen(String action, PublishedGeneration published, String description, int partitions)
      implements Answer {
    @Override
    public String view() {
      return published.view();
    }

    @Override
    public int generation() {
      return published.generation();
    }
  }

  /**
   * What an action has been waiting for, for longer than usual. Told when it changes; not an
   * answer.
   *
   * @param reason for people; empty: nothing any more
   */
  record Waiting(String view, int generation, String action, String reason) implements OfView {
    public static Waiting of(Action action, String reason) {
      return new Waiting(action.view(), action.generation(), action.id(), reason);
    }
  }

  /** A view topic exists whose generation is not published. */
  record TopicFound(String view, int generation, String viewTopic) implements OfView {}

  /**
   * The dead letters of a generation are read in this topic from here on.
   *
   * @param topicId Kafka's, of the dead-letter topic
   */
  record DeadLettersFollowed(String view, int generation, String topicId) implements OfView {}

  /**
   * A dead letter of a generation's view topic.
   *
   * @param deadLetterPartition of the dead-letter topic
   * @param deadLetterOffset there; what was reported of this partition before is not reported again
   */
  record RowRejected(
      String view, int generation, int deadLetterPartition, long deadLetterOffset, RejectedRow row)
      implements OfView {}

  /**
   * A later record of a rejected row was applied, a deletion among them.
   *
   * @param offset of the rejected record
   */
  record RowSuperseded(String view, int generation, String row, long offset) implements OfView {}

  /** The sink or the app missed deletions of rows, or may have: only a build makes up for it. */
  record ChangesMissed(String view, int generation, String reason) implements OfView {

    /**
     * @param topic the dead-letter topic of the generation's target
     */
    public static ChangesMissed ofDeadLetters(PublishedGeneration of, String topic) {
      return new ChangesMissed(
          of.view(),
          of.generation(),
          "dead-letter topic %s was deleted, or is another one than before, so nobody knows which rows the sink rejected"
              .formatted(topic));
    }
  }

  /**
   * Whether a generation can read the records that are written now.
   *
   * @param reason why not all of them; empty: it can
   */
  record SchemaChecked(String view, int generation, String reason) implements OfView {}

  /**
   * How fresh the rows of a generation are.
   *
   * @param beganAtMs when the proof was begun, ms since the epoch
   * @param visibleBeforeMs see {@link ViewState.Freshness}; empty: what was proven before stands
   * @param heldBackBy what the next proof waits for, if it takes long; empty: nothing
   */
  record FreshnessProven(
      String view, int generation, long beganAtMs, OptionalLong visibleBeforeMs, String heldBackBy)
      implements Finding {}

  /** The topics that states and generations are published on are others, or one of them is. */
  record PublicationsLost() implements Finding {}

  /** Events of a record set were lost before the app had read them. */
  record RecordSetBroken(String recordSet, long sinceMs, String reason) implements Finding {}

  /** The app forgot what it knew of records, or a topic is gone that it had not read to its end. */
  record Lost(EventsLost loss) implements Finding {}

  /**
   * What may make a record set wrong for as long as it stands.
   *
   * @param reason with what helps; empty: nothing does
   */
  record RecordSetHindered(String recordSet, String reason) implements Finding {}

  /**
   * Every record of a broken record set was published again, and taken.
   *
   * @param atMs when the sources began to look, ms since the epoch
   */
  record RecordSetWhole(String recordSet, long atMs) implements Finding {}

  /**
   * A record of a view topic that the sink could not apply.
   *
   * @param row stands for the row's key: the same for the same key bytes, of bounded length; no
   *     content
   * @param partition of the view topic
   * @param offset in that partition
   * @param reason what is wrong with it; never its content
   */
  record RejectedRow(String row, int partition, long offset, String reason) {}
}
