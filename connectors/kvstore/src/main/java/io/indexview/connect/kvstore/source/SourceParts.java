package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Requests;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueDecoder;
import java.util.function.Supplier;

/**
 * What a record set's source works with.
 *
 * @param store opens it when first asked
 * @param requests stays open
 * @param reads of single keys of the store
 * @param changes follows those of the store
 */
record SourceParts(
    Supplier<KvStore> store,
    MaterializedTopic topic,
    ValueDecoder decoder,
    Requests requests,
    ScanProgress progress,
    ParallelReads reads,
    FollowedChanges.Opener changes) {}
