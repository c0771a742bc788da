package io.indexview.server.rows;

import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ViewQuery;

/** What a request reads, and how. */
record RowRead(ViewQuery query, ReadOptions options) {
  /** Whether it may wait for something. */
  boolean waits() {
    return options.atLeast().isPresent() || options.notReady() instanceof ReadOptions.NotReady.Wait;
  }
}
