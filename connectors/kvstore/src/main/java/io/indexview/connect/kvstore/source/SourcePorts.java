package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.registry.SchemaRegistry;

/** Where a source's outside systems come from. */
public interface SourcePorts {
  /** Opens the store. */
  KvStore openStore();

  /** Opens the primary-change topic of a record set. */
  ChangeTopicReader openReader(KvRecordSet recordSet);

  /** Opens the registry that the topic's events are read with. */
  SchemaRegistry openRegistry();

  /**
   * Opens what the source is asked for.
   *
   * @param registry stays open
   */
  Requests openRequests(SchemaRegistry registry);
}
