package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.util.List;
import java.util.Objects;

/**
 * Something that the committed state of a view wants done. It follows from that state alone, so it
 * is wanted again after a restart: doing it twice must be the same as doing it once.
 */
public sealed interface Action {

  /** Same for the same action, for ever; two different things that are wanted never share it. */
  String id();

  String view();

  /** 0: of no generation. */
  int generation();

  /** What the newest record of a view on {@code view-states} is. */
  enum StateRecord {
    STATE,
    /** The view is gone. */
    TOMBSTONE
  }

  /**
   * Freezes the desired definition as a generation: validates it against the record set, registers
   * the schemas, creates the view topic. It may be given up, since it may wait for ever. What is
   * published carries the definition and build as they are desired.
   *
   * <p>Answers: {@link Finding.Frozen}; {@link Finding.Refused} if it cannot be frozen, and then
   * there may be a topic all the same, which the rules have deleted.
   *
   * @param uid of the view
   */
  record Freeze(ViewSpec spec, String uid, int generation) implements Action {
    @Override
    public String id() {
      return "freeze|" + view() + "|" + generation + "|" + spec.version();
    }

    @Override
    public String view() {
      return spec.view();
    }
  }

  /**
   * Asks the sources of a record set to publish every record again, and waits until they did, and
   * the app has taken it all and dropped what they did not name.
   *
   * <p>Answers: {@link Finding.Done}; {@link Finding.Refused} if there is no such record set, or it
   * has no source that could do it.
   *
   * @param number of the request, at least
   */
  record AdHocSnapshot(String view, String recordSet, long number) implements Action {
    @Override
    public String id() {
      return "snapshot|" + view + "|" + number;
    }

    @Override
    public int generation() {
      return 0;
    }
  }

  /**
   * Waits until the record set is complete and the app has passed what completes it and the end
   * offsets of now, and the sink has applied the view topic up to an end taken after that; then
   * reads the target's dead letters to an end taken after that, and tells every {@link
   * Finding.RowRejected} before the answer. It is wanted only when every partition is built.
   *
   * <p>Answers: {@link Finding.Done}.
   *
   * @param watch of the generation: whichever of both comes first begins to read dead letters
   * @param check counts the checks of the view; each one reads anew
   */
  record CheckReady(Watch watch, long check) implements Action {
    public Watched watched() {
      return watch.watched();
    }

    @Override
    public String id() {
      return "ready|" + view() + "|" + generation() + "|" + check;
    }

    @Override
    public String view() {
      return watch.view();
    }

    @Override
    public int generation() {
      return watch.generation();
    }
  }

  /**
   * Waits until the sink of the target has taken {@code view-states} up to an end taken now, when
   * what is waited for is committed. Done at once for targets whose sinks do not read {@code
   * view-states}.
   *
   * <p>Answers: {@link Finding.Done}.
   *
   * @param version of the status, at least; of a tombstone: of the status that it stands for
   */
  record CheckStateApplied(String view, String target, long version, StateRecord expected)
      implements Action {
    @Override
    public String id() {
      return "state-applied|" + view + "|" + target + "|" + version;
    }

    @Override
    public int generation() {
      return 0;
    }
  }

  /**
   * Waits until the sink has applied the view topic up to its end. It is wanted only when no task
   * writes it any more.
   *
   * <p>Answers: {@link Finding.Done}.
   */
  record CheckTopicApplied(String view, int generation, String target, String viewTopic)
      implements Action {
    @Override
    public String id() {
      return "topic-applied|" + view + "|" + generation;
    }
  }

  /**
   * Removes every row of a generation from its target and waits until the sink did. It is wanted
   * only after {@link CheckTopicApplied}.
   *
   * <p>Answers: {@link Finding.Done}.
   *
   * @param description the frozen generation as JSON
   */
  record RemoveRows(
      String view, int generation, String target, String viewTopic, String description)
      implements Action {
    @Override
    public String id() {
      return "remove-rows|" + view + "|" + generation;
    }
  }

  /**
   * Deletes a view topic; done if there is none, or if its generation is published.
   *
   * <p>Answers: {@link Finding.Done}.
   *
   * @param version of the state that does without the generation; a topic that is made again late
   *     is deleted again, with another one
   */
  record DeleteTopic(String view, int generation, String viewTopic, long version)
      implements Action {
    @Override
    public String id() {
      return "delete-topic|" + view + "|" + generation + "|" + version;
    }
  }

  /**
   * Watches what the sink does with a generation, as long as it is wanted. Tells {@link
   * Finding.DeadLettersFollowed} if it begins with another dead-letter topic than was read before,
   * {@link Finding.RowRejected} for every dead letter of its view topic, {@link
   * Finding.RowSuperseded} when a later record of a rejected row was applied, {@link
   * Finding.ChangesMissed} when the sink is further behind than deletions are kept, or dead letters
   * were deleted with their topic.
   *
   * <p>Answers: none.
   *
   * @param from how far its dead letters are read
   * @param rejected rows that are not superseded yet
   */
  record Watch(Watched watched, DeadLetterPosition from, List<RejectedRow> rejected)
      implements Action {
    public Watch {
      Objects.requireNonNull(watched, "watched");
      Objects.requireNonNull(from, "from");
      rejected = List.copyOf(rejected);
    }

    @Override
    public String id() {
      return "watch|" + view() + "|" + generation();
    }

    @Override
    public String view() {
      return watched.view();
    }

    @Override
    public int generation() {
      return watched.generation();
    }
  }

  /**
   * A generation that stands, and where its rows go.
   *
   * @param target as in the definition
   */
  record Watched(PublishedGeneration published, String target) {
    public String view() {
      return published.view();
    }

    public int generation() {
      return published.generation();
    }
  }
}
