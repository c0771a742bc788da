package io.indexview.connect.s3.queue;

import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Stream;

/**
 * The messages in flight: each that was received and not deleted yet. A message may be deleted only
 * when every record made of it is acknowledged. Thread-safe: messages come on the queue's threads,
 * acknowledgements on the producer's.
 */
public final class InFlightMessages {
  private final Duration visibility;
  private final Runnable whenBatchIsDone;
  private final Time time;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /** What is to be deleted, the longest done first. */
  private final Queue<Entry> done = new ArrayDeque<>();

  /**
   * What was left to the queue, in the order in which it is forgotten here. A queue hands it out
   * again once its visibility is over, as soon as somebody asks: twice that time says so surely.
   */
  private final Map<String, Left> left = new LinkedHashMap<>();

  private long unread;

  /**
   * @param until it is remembered, like {@link System#nanoTime}
   */
  private record Left(Instant sentAt, long until) {}

  /**
   * @param visibility for how long a receipt keeps a message from other receivers
   * @param whenBatchIsDone called once there are as many messages to delete as a batch takes, on
   *     the thread that made it so, and not again until fewer are left; must not wait
   */
  public InFlightMessages(Duration visibility, Runnable whenBatchIsDone, Time time) {
    this.visibility = visibility;
    this.whenBatchIsDone = whenBatchIsDone;
    this.time = time;
  }

  /**
   * Enters messages.
   *
   * @return those not known yet, which are to be read. Of a message that is known only the receipt
   *     is new: its records are on their way already
   */
  public synchronized List<QueueMessage> received(Collection<QueueMessage> messages) {
    long now = time.nanoTime();
    List<QueueMessage> fresh = new ArrayList<>(messages.size());
    for (QueueMessage message : messages) {
      Entry entry = entries.get(message.id());
      if (entry == null) {
        entry = new Entry(message.id(), message.body().length(), message.sentAt());
        unread += entry.length;
        entries.put(message.id(), entry);
        fresh.add(message);
      }
      entry.receiptHandle = message.receiptHandle();
      entry.hiddenSince = now;
      left.remove(message.id());
    }
    return fresh;
  }

  /** The message was read, and makes this many records; with none it is done. */
  public void dispatched(String messageId, int records) {
    if (dispatch(messageId, records)) {
      whenBatchIsDone.run();
    }
  }

  /** Notes that one record of a message is acknowledged. */
  public void acknowledged(String messageId) {
    if (settle(messageId, false)) {
      whenBatchIsDone.run();
    }
  }

  /**
   * One record of the message cannot be made: once the others are acknowledged the message is left
   * to the queue, which hands it out again or takes it away.
   */
  public void failed(String messageId) {
    if (settle(messageId, true)) {
      whenBatchIsDone.run();
    }
  }

  /** Whether that fills a batch. */
  private synchronized boolean dispatch(String messageId, int records) {
    Entry entry = entry(messageId);
    if (entry.state != State.RECEIVED) {
      throw new IllegalStateException("message " + messageId + " was dispatched twice");
    }
    unread -= entry.length;
    entry.outstanding = records;
    entry.state = State.DISPATCHED;
    return records == 0 && finish(entry);
  }

  /** Whether that fills a batch. */
  private synchronized boolean settle(String messageId, boolean isFailed) {
    Entry entry = entry(messageId);
    if (entry.state != State.DISPATCHED) {
      throw new IllegalStateException("message " + messageId + " has no record outstanding");
    }
    entry.outstanding--;
    entry.isFailed |= isFailed;
    if (entry.outstanding == 0 && entry.isFailed) {
      entries.remove(messageId);
      leave(entry);
    }
    return entry.outstanding == 0 && !entry.isFailed && finish(entry);
  }

  private boolean finish(Entry entry) {
    entry.state = State.DONE;
    done.add(entry);
    return done.size() == EventQueue.BATCH_LIMIT;
  }

  /** The message is left to the queue, which hands it out again or takes it away. */
  public synchronized void released(String messageId) {
    Entry entry = entries.remove(messageId);
    if (entry != null && entry.state == State.RECEIVED) {
      unread -= entry.length;
    }
    done.remove(entry);
    if (entry != null) {
      leave(entry);
    }
  }

  private void leave(Entry entry) {
    forgetLeft();
    long until = time.nanoTime() + visibility.multipliedBy(2).toNanos();
    left.put(entry.messageId, new Left(entry.sentAt, until));
  }

  private void forgetLeft() {
    long now = time.nanoTime();
    Iterator<Left> first = left.values().iterator();
    while (first.hasNext() && first.next().until() - now <= 0) {
      first.remove();
    }
  }

  /** Takes up to a batch of messages to delete now; each is taken once, until it is given back. */
  public synchronized List<Receipt> takeDone() {
    List<Receipt> batch = new ArrayList<>(EventQueue.BATCH_LIMIT);
    while (batch.size() < EventQueue.BATCH_LIMIT && !done.isEmpty()) {
      Entry entry = done.remove();
      entry.state = State.DELETING;
      batch.add(new Receipt(entry.messageId, entry.receiptHandle));
    }
    return batch;
  }

  /** Takes a whole batch of messages to delete; none while there are fewer. */
  public synchronized List<Receipt> takeDoneBatch() {
    return done.size() < EventQueue.BATCH_LIMIT ? List.of() : takeDone();
  }

  /** The queue has deleted the message, or will hand it out again whatever we do. */
  public synchronized void deleted(String messageId) {
    entries.remove(messageId);
  }

  /** Deleting did not work; it is to be tried again. */
  public synchronized void notDeleted(String messageId) {
    Entry entry = entries.get(messageId);
    if (entry != null && entry.state == State.DELETING) {
      finish(entry);
    }
  }

  /**
   * Takes up to a batch of messages whose visibility is half over; each counts as extended from now
   * on.
   */
  public synchronized List<Receipt> takeExpiring() {
    long now = time.nanoTime();
    long half = visibility.dividedBy(2).toNanos();
    List<Receipt> expiring = new ArrayList<>(0);
    for (Map.Entry<String, Entry> each : entries.entrySet()) {
      if (expiring.size() == EventQueue.BATCH_LIMIT) {
        break;
      }
      Entry entry = each.getValue();
      if (entry.state != State.DELETING && now - entry.hiddenSince > half) {
        entry.hiddenSince = now;
        expiring.add(new Receipt(each.getKey(), entry.receiptHandle));
      }
    }
    return expiring;
  }

  /** Extending did not work; it is to be tried again at the next occasion. */
  public synchronized void notExtended(String messageId) {
    Entry entry = entries.get(messageId);
    if (entry != null) {
      entry.hiddenSince = time.nanoTime() - visibility.toNanos();
    }
  }

  /** What is still held back from other receivers, but for what is being deleted. */
  public synchronized List<Receipt> unfinished() {
    return entries.values().stream()
        .filter(entry -> entry.state != State.DELETING)
        .map(entry -> new Receipt(entry.messageId, entry.receiptHandle))
        .toList();
  }

  /**
   * When the oldest message was sent of which Kafka does not have every record, those among them
   * that were left to the queue a short time ago; empty: none.
   */
  public synchronized Optional<Instant> oldestSentAt() {
    forgetLeft();
    return Stream.concat(
            entries.values().stream()
                .filter(entry -> entry.state == State.RECEIVED || entry.state == State.DISPATCHED)
                .map(entry -> entry.sentAt),
            left.values().stream().map(Left::sentAt))
        .min(Comparator.naturalOrder());
  }

  /** How many characters the messages have of which the records are not made yet. */
  public synchronized long unread() {
    return unread;
  }

  /** Messages received and not deleted. */
  public synchronized int size() {
    return entries.size();
  }

  private Entry entry(String messageId) {
    Entry entry = entries.get(messageId);
    if (entry == null) {
      throw new IllegalStateException("message " + messageId + " is not in flight");
    }
    return entry;
  }

  private enum State {
    RECEIVED,
    DISPATCHED,
    DONE,
    DELETING
  }

  private static final class Entry {
    private final String messageId;
    private final int length;
    private final Instant sentAt;
    private String receiptHandle;

    /** Time since which the message is hidden, as of this process's {@link System#nanoTime}. */
    private long hiddenSince;

    private int outstanding;
    private boolean isFailed;
    private State state = State.RECEIVED;

    private Entry(String messageId, int length, Instant sentAt) {
      this.messageId = messageId;
      this.length = length;
      this.sentAt = sentAt;
    }
  }
}
