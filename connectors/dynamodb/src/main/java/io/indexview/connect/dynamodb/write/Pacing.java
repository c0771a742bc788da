package io.indexview.connect.dynamodb.write;

import io.indexview.connect.common.errors.Backoff;
import java.util.function.Supplier;

/**
 * How fast rows may go to the store.
 *
 * @param maxInFlight requests in flight at once, of all tables together
 * @param unitsPerSecond write capacity units a second of each table; 0: no bound
 * @param backoffs waits of a table that does not take all writes
 */
public record Pacing(int maxInFlight, double unitsPerSecond, Supplier<Backoff> backoffs) {}
