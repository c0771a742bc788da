package io.indexview.connect.s3;

import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Optional;

/**
 * What one task works with.
 *
 * @param registry of the topic's events
 * @param known empty: there is no index, and so no periodic listing
 */
record SourceClients(
    EventQueue queue,
    ObjectStore objects,
    ChangeTopic topic,
    SchemaRegistry registry,
    Optional<KnownObjects> known)
    implements AutoCloseable {

  /** Closes all, whatever goes wrong with one of them. */
  @Override
  public void close() {
    try (queue;
        objects;
        topic;
        registry) {
      known.ifPresent(KnownObjects::close);
    }
  }
}
