package io.indexview.connect.s3.queue;

import io.indexview.connect.s3.queue.EventQueue.Receipt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a task owes the queue: each message that was received and not deleted yet. A message may be
 * deleted only when every record made of it is acknowledged. Thread-safe: messages come on the
 * queue's threads, acknowledgements on the producer's.
 */
public final class DeliveryLedger {
  private final Duration visibility;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /**
   * @param visibility for how long a receipt keeps a message from other receivers
   */
  public DeliveryLedger(Duration visibility) {
    this.visibility = visibility;
  }

  /**
   * Enters messages.
   *
   * @return those not known yet, which are to be read. Of a message that is known only the receipt
   *     is new: its records are on their way already
   */
  public synchronized List<QueueMessage> received(Collection<QueueMessage> messages, Instant now) {
    List<QueueMessage> fresh = new ArrayList<>(messages.size());
    for (QueueMessage message : messages) {
      Entry entry = entries.get(message.id());
      if (entry == null) {
        entry = new Entry();
        entries.put(message.id(), entry);
        fresh.add(message);
      }
      entry.receiptHandle = message.receiptHandle();
      entry.hiddenUntil = now.plus(visibility);
    }
    return fresh;
  }

  /** The message was read, and makes this many records; with none it is done. */
  public synchronized void dispatched(String messageId, int records) {
    Entry entry = entry(messageId);
    if (entry.state != State.RECEIVED) {
      throw new IllegalStateException("message " + messageId + " was dispatched twice");
    }
    entry.outstanding = records;
    entry.state = records == 0 ? State.DONE : State.DISPATCHED;
  }

  /** One record of the message is acknowledged. */
  public synchronized void acknowledged(String messageId) {
    Entry entry = entry(messageId);
    if (entry.state != State.DISPATCHED) {
      throw new IllegalStateException("message " + messageId + " has no record outstanding");
    }
    settle(messageId, entry);
  }

  /**
   * One record of the message cannot be made: once the others are acknowledged the message is left
   * to the queue, which hands it out again or takes it away.
   */
  public synchronized void failed(String messageId) {
    Entry entry = entry(messageId);
    entry.isFailed = true;
    settle(messageId, entry);
  }

  private void settle(String messageId, Entry entry) {
    entry.outstanding--;
    if (entry.outstanding == 0 && entry.isFailed) {
      entries.remove(messageId);
    } else if (entry.outstanding == 0) {
      entry.state = State.DONE;
    }
  }

  /** The message is left to the queue, which hands it out again or takes it away. */
  public synchronized void released(String messageId) {
    entries.remove(messageId);
  }

  /** Up to a batch of messages to delete now; each is taken once, until it is given back. */
  public synchronized List<Receipt> takeDone() {
    List<Receipt> done = new ArrayList<>(EventQueue.BATCH_LIMIT);
    for (Map.Entry<String, Entry> each : entries.entrySet()) {
      if (done.size() == EventQueue.BATCH_LIMIT) {
        break;
      }
      if (each.getValue().state == State.DONE) {
        each.getValue().state = State.DELETING;
        done.add(new Receipt(each.getKey(), each.getValue().receiptHandle));
      }
    }
    return done;
  }

  /** The queue has deleted the message, or will hand it out again whatever we do. */
  public synchronized void deleted(String messageId) {
    entries.remove(messageId);
  }

  /** Deleting did not work; it is to be tried again. */
  public synchronized void notDeleted(String messageId) {
    Entry entry = entries.get(messageId);
    if (entry != null && entry.state == State.DELETING) {
      entry.state = State.DONE;
    }
  }

  /**
   * Up to a batch of messages whose visibility is half over; each counts as extended from now on.
   */
  public synchronized List<Receipt> takeExpiring(Instant now) {
    Instant due = now.plus(visibility.dividedBy(2));
    List<Receipt> expiring = new ArrayList<>(0);
    for (Map.Entry<String, Entry> each : entries.entrySet()) {
      if (expiring.size() == EventQueue.BATCH_LIMIT) {
        break;
      }
      Entry entry = each.getValue();
      if (entry.state != State.DELETING && entry.hiddenUntil.isBefore(due)) {
        entry.hiddenUntil = now.plus(visibility);
        expiring.add(new Receipt(each.getKey(), entry.receiptHandle));
      }
    }
    return expiring;
  }

  /** Extending did not work; it is to be tried again at the next occasion. */
  public synchronized void notExtended(String messageId, Instant now) {
    Entry entry = entries.get(messageId);
    if (entry != null) {
      entry.hiddenUntil = now;
    }
  }

  /** Messages received and not deleted. */
  public synchronized int size() {
    return entries.size();
  }

  private Entry entry(String messageId) {
    Entry entry = entries.get(messageId);
    if (entry == null) {
      throw new IllegalStateException("message " + messageId + " is not in the ledger");
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
    private String receiptHandle;
    private Instant hiddenUntil;
    private int outstanding;
    private boolean isFailed;
    private State state = State.RECEIVED;
  }
}
