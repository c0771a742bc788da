package io.indexview.verification;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reads parts of a store, one after the other, on a thread of its own while what was read is looked
 * at: {@value #BATCHES} batches ahead, of {@value #BATCH_RECORDS} records or {@value #BATCH_BYTES}
 * bytes, whichever is less. The thread is not interrupted, which not every store survives.
 *
 * <p>As an iterator it ends at the end of each part, until {@link #nextPart}.
 */
final class ReadAhead implements KvIterator<KvRecord> {
  private static final int BATCHES = 4;
  private static final int BATCH_RECORDS = 500;
  private static final int BATCH_BYTES = 1 << 20;
  private static final long POLL_MS = 50;

  /** Marks the end of a part, behind its last record. */
  private static final List<KvRecord> END_OF_PART = new ArrayList<>();

  /** The last one. */
  private static final List<KvRecord> END = new ArrayList<>();

  private final BlockingQueue<List<KvRecord>> queue = new ArrayBlockingQueue<>(BATCHES);
  private final FutureTask<Void> reading;
  private final Thread thread;
  private volatile boolean isClosed;
  private Iterator<KvRecord> batch = Collections.emptyIterator();
  private boolean isAtEndOfPart;
  private boolean isAtEnd;

  /**
   * @param parts are opened, read and closed by the thread
   */
  ReadAhead(List<Supplier<KvIterator<KvRecord>>> parts) {
    this.reading = new FutureTask<>(() -> read(parts), null);
    this.thread = new Thread(reading, Thread.currentThread().getName() + "-scan");
    thread.setDaemon(true);
    thread.start();
  }

  private void read(List<Supplier<KvIterator<KvRecord>>> parts) {
    try {
      for (Supplier<KvIterator<KvRecord>> part : parts) {
        if (!isClosed) {
          read(part);
          put(END_OF_PART);
        }
      }
    } finally {
      put(END);
    }
  }

  private void read(Supplier<KvIterator<KvRecord>> part) {
    try (KvIterator<KvRecord> records = part.get()) {
      while (!isClosed && records.hasNext()) {
        put(batch(records));
      }
    }
  }

  private static List<KvRecord> batch(KvIterator<KvRecord> records) {
    List<KvRecord> batch = new ArrayList<>(BATCH_RECORDS);
    long bytes = 0;
    do {
      KvRecord record = records.next();
      batch.add(record);
      bytes += record.key().serializedLength() + record.value().length;
    } while (batch.size() < BATCH_RECORDS && bytes < BATCH_BYTES && records.hasNext());
    return batch;
  }

  private void put(List<KvRecord> records) {
    boolean isPut = false;
    while (!isPut && !isClosed) {
      try {
        isPut = queue.offer(records, POLL_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        // Nobody who knows the thread does this.
        isPut = false;
      }
    }
  }

  @Override
  public boolean hasNext() {
    while (!batch.hasNext() && !isAtEndOfPart && !isAtEnd) {
      List<KvRecord> next = uninterrupted(queue::take);
      batch = next.iterator();
      isAtEndOfPart = next == END_OF_PART;
      if (next == END) {
        isAtEnd = true;
        requireWell();
      }
    }
    return batch.hasNext();
  }

  /** Goes on behind the end of a part; that of the last one is followed by nothing. */
  void nextPart() {
    isAtEndOfPart = false;
  }

  private void requireWell() {
    try {
      uninterrupted(reading::get);
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) e.getCause();
    }
  }

  private interface Waiting<T> {
    T await() throws InterruptedException, ExecutionException;
  }

  /** What is waited for comes: the thread reads on, or fails. */
  private static <T> T uninterrupted(Waiting<T> waiting) {
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return waiting.await();
        } catch (InterruptedException e) {
          isInterrupted = true;
        } catch (ExecutionException e) {
          throw new CompletionException(e.getCause());
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public KvRecord next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return batch.next();
  }

  /** Waits for the thread to end, as long as the store takes for what it was asked for. */
  @Override
  public void close() {
    isClosed = true;
    isAtEnd = true;
    batch = Collections.emptyIterator();
    uninterrupted(
        () -> {
          thread.join();
          return thread;
        });
  }
}
