/**
 * Oracle NoSQL Database through its client library, kvclient.
 *
 * <p>Changes come from the logs of the shards: a {@link LogReader} reads one as a {@link
 * SharedStream}, for all who follow it; for each of them a {@link ShardLog} makes {@link
 * ChangeHints} of what it says.
 */
package io.indexview.kvstore.oracle;
