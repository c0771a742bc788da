package io.indexview.streams.lifecycle;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;

/** Freezes as a worker does, without registry and topics. */
public final class Freezing {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  private Freezing() {}

  public static WorkResult.Frozen frozen(Work.Freeze work, RecordSet recordSet, int partitions) {
    ViewGeneration generation =
        ViewGeneration.freeze(
            ViewDefinition.fromJson(work.wish().definition()),
            work.generation(),
            recordSet,
            TOPICS);
    PublishedGeneration published =
        new PublishedGeneration(
            work.view(),
            work.generation(),
            work.wish().definition(),
            recordSet.name(),
            recordSet.topic(),
            generation.viewTopic(),
            new PublishedGeneration.SchemaIds(1, 2, 3),
            generation.encodingVersion(),
            0,
            work.wish().build(),
            false);
    return new WorkResult.Frozen(work.id(), published, generation.toJson(), partitions);
  }
}
