package io.indexview.connect.s3.listing;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Objects of one bucket that differ from what is known. Reads some at a time, each when its grace
 * is over, and answers in the order in which they came. For one thread.
 */
final class Differences {
  private static final int MAX_READS = 100;

  private final String bucket;
  private final ObjectReads reads;
  private final long grace;
  private final Predicate<Difference> isWanted;
  private final Time time;
  private final Deque<Difference> waiting = new ArrayDeque<>();
  private final Deque<Read> open = new ArrayDeque<>();

  /**
   * An object that has to be published, as far as is known.
   *
   * @param known before it was listed
   * @param listed null: it has to be read
   * @param published what was published of it by the same listing; null: nothing
   * @param follows a key that it follows in the order of listings; null: none
   * @param foundAt like {@link System#nanoTime}
   */
  record Difference(
      String key,
      Known known,
      ObjectInfo listed,
      Optional<ObjectInfo> published,
      String follows,
      long foundAt) {}

  private static final class Read {
    private final Difference difference;
    private CompletableFuture<Optional<ObjectInfo>> answer;

    private Read(Difference difference) {
      this.difference = difference;
    }
  }

  /**
   * @param grace from finding a difference to reading it
   * @param isWanted asked before an object is read
   */
  Differences(
      String bucket, ObjectReads reads, Duration grace, Predicate<Difference> isWanted, Time time) {
    this.bucket = bucket;
    this.reads = reads;
    this.grace = TimeUnit.NANOSECONDS.convert(grace);
    this.isWanted = isWanted;
    this.time = time;
  }

  void add(Difference difference) {
    waiting.add(difference);
  }

  boolean isEmpty() {
    return waiting.isEmpty() && open.isEmpty();
  }

  /** Number of differences that nobody reads yet. */
  int waiting() {
    return waiting.size();
  }

  /** Whether the answer of the first has come; reads what is due. */
  boolean isAnswered() {
    while (open.size() < MAX_READS
        && !waiting.isEmpty()
        && time.nanoTime() - waiting.peek().foundAt() >= grace) {
      Difference next = waiting.remove();
      if (isWanted.test(next)) {
        open.add(new Read(next));
      }
    }
    for (Read read : open) {
      if (read.answer == null) {
        ObjectInfo listed = read.difference.listed();
        read.answer =
            listed == null
                ? reads.headOrGone(bucket, read.difference.key())
                : CompletableFuture.completedFuture(Optional.of(listed));
      }
    }
    return !open.isEmpty() && open.peek().answer.isDone();
  }

  Difference first() {
    return open.element().difference;
  }

  /**
   * What is under the key of the first now.
   *
   * @throws AwsRequestException as the store did
   */
  Optional<ObjectInfo> answer() {
    return ObjectReads.answer(open.element().answer);
  }

  void removeFirst() {
    open.remove();
  }

  /**
   * The store does not answer: requests that nobody began would only make it busier. What was
   * answered is not asked for again.
   */
  void pause() {
    for (Read read : open) {
      if (read.answer != null
          && (!read.answer.isDone() || read.answer.isCompletedExceptionally())) {
        read.answer.cancel(false);
        read.answer = null;
      }
    }
  }
}
