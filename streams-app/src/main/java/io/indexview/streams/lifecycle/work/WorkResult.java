package io.indexview.streams.lifecycle.work;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.indexview.schemas.control.PublishedGeneration;
import java.util.Objects;

/**
 * What a worker found or did. Results may repeat, come late, or speak of what is not wanted any
 * more.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(name = "done", value = WorkResult.Done.class),
  @JsonSubTypes.Type(name = "refused", value = WorkResult.Refused.class),
  @JsonSubTypes.Type(name = "frozen", value = WorkResult.Frozen.class),
  @JsonSubTypes.Type(name = "topic-found", value = WorkResult.TopicFound.class),
  @JsonSubTypes.Type(name = "waiting", value = WorkResult.Waiting.class),
  @JsonSubTypes.Type(name = "row-rejected", value = WorkResult.RowRejected.class),
  @JsonSubTypes.Type(name = "row-superseded", value = WorkResult.RowSuperseded.class),
  @JsonSubTypes.Type(name = "sink-fell-behind", value = WorkResult.SinkFellBehind.class),
  @JsonSubTypes.Type(name = "schema-checked", value = WorkResult.SchemaChecked.class),
  @JsonSubTypes.Type(name = "record-set-broken", value = WorkResult.RecordSetBroken.class),
  @JsonSubTypes.Type(name = "record-set-whole", value = WorkResult.RecordSetWhole.class)
})
public sealed interface WorkResult {

  /** Empty: of no view. */
  String view();

  /** 0: of no generation. */
  int generation();

  /** The answer to a work. */
  sealed interface Answer extends WorkResult {
    /** {@link Work#id}. */
    String work();
  }

  record Done(String view, int generation, String work) implements Answer {
    public Done {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(work, "work");
    }

    public static Done of(Work work) {
      return new Done(work.view(), work.generation(), work.id());
    }
  }

  /** It cannot be done, now or later. */
  record Refused(String view, int generation, String work, String reason) implements Answer {
    public Refused {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(work, "work");
      Objects.requireNonNull(reason, "reason");
    }

    public static Refused of(Work work, String reason) {
      return new Refused(work.view(), work.generation(), work.id(), reason);
    }
  }

  /**
   * Of {@link Work.Freeze}: everything exists that the generation needs, but its publication.
   *
   * @param published as it is to be published
   * @param description the frozen generation as JSON
   * @param partitions of the record set's topic, and of the view topic
   */
  record Frozen(String work, PublishedGeneration published, String description, int partitions)
      implements Answer {
    public Frozen {
      Objects.requireNonNull(work, "work");
      Objects.requireNonNull(published, "published");
      Objects.requireNonNull(description, "description");
    }

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
   * What a work has been waiting for, for longer than usual. Told when it changes; not an answer.
   *
   * @param reason for people; empty: nothing any more
   */
  record Waiting(String view, int generation, String work, String reason) implements WorkResult {
    public Waiting {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(work, "work");
      Objects.requireNonNull(reason, "reason");
    }

    public static Waiting of(Work work, String reason) {
      return new Waiting(work.view(), work.generation(), work.id(), reason);
    }
  }

  /** There is a view topic whose generation is not published. */
  record TopicFound(String view, int generation, String viewTopic) implements WorkResult {
    public TopicFound {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(viewTopic, "viewTopic");
    }
  }

  /**
   * A dead letter of a generation's view topic.
   *
   * @param letterPartition of the dead-letter topic
   * @param letterOffset there; what was told of this partition before is not told again
   */
  record RowRejected(
      String view, int generation, int letterPartition, long letterOffset, RejectedRow row)
      implements WorkResult {
    public RowRejected {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(row, "row");
    }
  }

  /**
   * A later record of a rejected row was applied, a deletion among them.
   *
   * @param offset of the rejected record
   */
  record RowSuperseded(String view, int generation, String row, long offset) implements WorkResult {
    public RowSuperseded {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(row, "row");
    }
  }

  /** The sink missed deletions of rows, or may have: only another build makes up for it. */
  record SinkFellBehind(String view, int generation, String reason) implements WorkResult {
    public SinkFellBehind {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Whether a generation can read the records that are written now.
   *
   * @param reason why not all of them; empty: it can
   */
  record SchemaChecked(String view, int generation, String reason) implements WorkResult {
    public SchemaChecked {
      Objects.requireNonNull(view, "view");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** Events of a record set were lost before the app had read them. */
  record RecordSetBroken(String recordSet, long sinceMs, String reason) implements WorkResult {
    public RecordSetBroken {
      Objects.requireNonNull(recordSet, "recordSet");
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String view() {
      return "";
    }

    @Override
    public int generation() {
      return 0;
    }
  }

  /**
   * Every record of a broken record set was published again, and taken.
   *
   * @param atMs when the sources began to look, ms since the epoch
   */
  record RecordSetWhole(String recordSet, long atMs) implements WorkResult {
    public RecordSetWhole {
      Objects.requireNonNull(recordSet, "recordSet");
    }

    @Override
    public String view() {
      return "";
    }

    @Override
    public int generation() {
      return 0;
    }
  }
}
