package io.indexview.connect.s3;

import io.indexview.connect.common.log.ChangeLog;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.schemas.registry.SchemaRegistry;

/** Where a source's outside systems come from; nothing is sent to them yet. */
interface SourcePorts {
  EventQueue openQueue();

  ObjectStore openObjects();

  /** Opens the primary-change topic. */
  ChangeLog openTopic();

  /** Opens the registry that the topic's events are read with. */
  SchemaRegistry openRegistry();
}
