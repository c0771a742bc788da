package io.indexview.streams.controller.rules;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;

/** Freezes as a controller does, without registry and topics. */
public final class Freezing {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  private Freezing() {}

  public static Finding.Frozen frozen(Action.Freeze action, RecordSet recordSet, int partitions) {
    return frozen(action, recordSet, partitions, 0);
  }

  public static Finding.Frozen frozen(
      Action.Freeze action, RecordSet recordSet, int partitions, long nowMs) {
    ViewGeneration generation =
        ViewGeneration.freeze(
                ViewDefinition.fromJson(action.spec().definition()),
                action.generation(),
                recordSet,
                TOPICS)
            .withUid(action.uid());
    PublishedGeneration published =
        new PublishedGeneration(
            action.view(),
            action.generation(),
            action.spec().definition(),
            recordSet.name(),
            recordSet.topic(),
            generation.viewTopic(),
            "id",
            new PublishedGeneration.SchemaIds(1, 2, 3),
            generation.encodingVersion(),
            nowMs,
            action.spec().build(),
            false);
    return new Finding.Frozen(action.id(), published, generation.toJson(), partitions);
  }
}
