package io.indexview.kvstore.oracle;

import io.indexview.kvstore.oracle.ShardLog.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One stream of a shard's log for all who follow it. None of them makes it wait: what one cannot
 * keep becomes a gap of its own.
 */
final class SharedStream {
  private final List<Stream> streams = new ArrayList<>();
  private final long startAt;
  private final boolean exact;
  private boolean hasLast;
  private long number;
  private long transaction;
  private long time;
  private byte[] key;

  /**
   * Takes the place of the last stream of each.
   *
   * @param logs of one shard, at least one
   * @param end the last number in its log a moment ago
   */
  SharedStream(List<ShardLog> logs, long end) {
    logs.forEach(log -> streams.add(log.begin(end)));
    this.exact = streams.stream().anyMatch(Stream::isExact);
    // Who has nothing to go on from has a gap anyway, and is content with less.
    this.startAt =
        streams.stream()
            .filter(stream -> stream.isExact() == exact)
            .mapToLong(Stream::startAt)
            .min()
            .orElseThrow();
  }

  /** Whether it has to begin where it is asked to, and not at what is left of the log. */
  boolean isExact() {
    return exact;
  }

  /** The number of the first entry. */
  long startAt() {
    return startAt;
  }

  /** Streams of the current followers. */
  synchronized List<Stream> streams() {
    return List.copyOf(streams);
  }

  /** Tells the followers that the stream begins with the first entry that the log ever had. */
  synchronized void beginsWithLog() {
    for (Stream stream : streams) {
      if (stream.startAt() <= 1) {
        stream.beginsWithLog();
      }
    }
  }

  /**
   * Takes in one who has read another stream of the log as far as this one, or a little farther.
   *
   * @return whether that is so
   */
  synchronized boolean takeIn(ShardLog log) {
    if (!hasLast) {
      return false;
    }
    Optional<Stream> goesOn = log.goOnWith(number, ShardLog.check(transaction, time, key));
    goesOn.ifPresent(streams::add);
    return goesOn.isPresent();
  }

  /** Removes a follower; it is told nothing from now on. */
  synchronized void remove(ShardLog log) {
    streams.removeIf(stream -> stream.log() == log);
  }

  /** A record was written or deleted. */
  void changed(long newNumber, long newTransaction, long newTime, byte[] newKey) {
    tell(
        newNumber,
        newTransaction,
        newTime,
        newKey,
        stream -> stream.changed(newNumber, newTransaction, newTime, newKey));
  }

  void committed(long newNumber, long newTransaction, long newTime) {
    tell(
        newNumber,
        newTransaction,
        newTime,
        null,
        stream -> stream.committed(newNumber, newTransaction, newTime));
  }

  void aborted(long newNumber, long newTransaction, long newTime) {
    tell(
        newNumber,
        newTransaction,
        newTime,
        null,
        stream -> stream.aborted(newNumber, newTransaction, newTime));
  }

  private synchronized void tell(
      long newNumber, long newTransaction, long newTime, byte[] newKey, Consumer<Stream> entry) {
    hasLast = true;
    number = newNumber;
    transaction = newTransaction;
    time = newTime;
    key = newKey;
    for (Stream stream : streams) {
      if (newNumber >= stream.startAt()) {
        entry.accept(stream);
      }
    }
  }
}
