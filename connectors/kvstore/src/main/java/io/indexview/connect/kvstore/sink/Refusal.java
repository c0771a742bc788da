package io.indexview.connect.kvstore.sink;

/** A row that cannot be written however often it is tried, and why. */
record Refusal(RowWrite write, RuntimeException cause) {}
