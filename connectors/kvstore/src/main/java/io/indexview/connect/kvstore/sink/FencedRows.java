package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.connect.kvstore.sink.KvRowWriter.Refusal;
import io.indexview.connect.kvstore.sink.KvRowWriter.RowRequest;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.views.layout.KvContent;
import io.indexview.views.layout.LayoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Writes rows only over older ones: on condition that what was found is still there. While the rows
 * of a view are all new, as in a build, nothing is read first, nor where the task wrote the row
 * before. A request whose conditions do not hold is taken apart.
 */
final class FencedRows implements RowRequest {
  /** Tries of one row, before its batch is put off. */
  static final int MAX_TRIES = 6;

  private static final WrittenRecords NONE = new WrittenRecords(0);

  private final Duration retention;
  private final int maxValueBytes;
  private final Supplier<Backoff> backoffs;
  private final StopLatch stop = new StopLatch();
  private final LongAdder heldOff = new LongAdder();
  private final WrittenRecords written;

  /** Whether the rows that were last written did not exist before, by topic. */
  private final Map<String, Boolean> absent = new ConcurrentHashMap<>();

  /**
   * @param retention age from which on tombstones no longer count
   * @param maxValueBytes that the value of a record may take when it grows
   * @param written what the task wrote; empty at first
   * @param backoffs waits of one row that others keep changing
   */
  FencedRows(
      Duration retention, int maxValueBytes, WrittenRecords written, Supplier<Backoff> backoffs) {
    this.written = written;
    this.retention = retention;
    this.maxValueBytes = maxValueBytes;
    this.backoffs = backoffs;
  }

  @Override
  public List<Refusal> apply(List<KvRowWrite> writes, Attempt attempt) {
    if (attempt.isOver()) {
      return List.of();
    }
    List<FencedRow> rows = FencedRow.of(writes);
    WrittenRecords known = known(writes);
    long tombstonesFrom = attempt.now().minus(retention).toEpochMilli();
    Optional<Decisions> guessed = guess(rows, known, isHopeful(writes), tombstonesFrom);
    if (guessed.isPresent()) {
      if (guessed.get().apply(attempt.store())) {
        return guessed.get().refusals;
      }
      rows.forEach(row -> known.forget(row.key()));
    }
    Decisions read = new Decisions(known);
    boolean allAbsent = true;
    for (FencedRow row : rows) {
      if (attempt.isOver()) {
        return List.of();
      }
      if (read.areTooLarge()) {
        break;
      }
      Optional<FencedRow.Decision> guess = guess(row, known, tombstonesFrom);
      if (guess.isPresent()) {
        allAbsent = false;
        read.add(guess.get());
      } else {
        var found = attempt.found(row.key());
        allAbsent &= found.isEmpty();
        read.add(row.over(found, tombstonesFrom, maxValueBytes));
      }
    }
    learn(topic(writes), allAbsent);
    if (read.apply(attempt.store())) {
      return read.refusals;
    }
    rows.forEach(row -> known.forget(row.key()));
    return applySingly(rows, tombstonesFrom, attempt);
  }

  /** Several tasks write a list: what one wrote last is hardly ever what is there. */
  private WrittenRecords known(List<KvRowWrite> writes) {
    return writes.get(0).layout().isList() ? NONE : written;
  }

  /**
   * Decides by what the task wrote last.
   *
   * @return empty if only a read can tell, as where nothing would be written: then no condition
   *     shows that the record has changed
   */
  private Optional<FencedRow.Decision> guess(
      FencedRow row, WrittenRecords known, long tombstonesFrom) {
    Optional<KvRecord> last = known.of(row.key());
    return last.map(unused -> row.over(last, tombstonesFrom, maxValueBytes))
        .filter(decision -> decision.operation().isPresent());
  }

  /**
   * Decides without any read.
   *
   * @param hopeful whether a record that the task did not write is taken to be absent
   */
  private Optional<Decisions> guess(
      List<FencedRow> rows, WrittenRecords known, boolean hopeful, long tombstonesFrom) {
    Decisions guessed = new Decisions(known);
    for (FencedRow row : rows) {
      Optional<FencedRow.Decision> decision = guess(row, known, tombstonesFrom);
      if (decision.isPresent()) {
        guessed.add(decision.get());
      } else if (hopeful && known.of(row.key()).isEmpty()) {
        guessed.add(row.over(Optional.empty(), tombstonesFrom, maxValueBytes));
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(guessed);
  }

  /**
   * The records to read ahead for a request: one thread would read them one after the other, while
   * the others may have nothing to do. All of a major path cannot be read at once: there may be
   * many more of it.
   */
  Set<KvKey> toRead(List<KvRowWrite> writes) {
    Set<KvKey> keys = new LinkedHashSet<>();
    if (writes.get(0).isFenced() && !isHopeful(writes)) {
      writes.stream()
          .map(KvRowWrite::key)
          .filter(key -> known(writes).of(key).isEmpty())
          .forEach(keys::add);
    }
    return keys.size() > 1 ? keys : Set.of();
  }

  private boolean isHopeful(List<KvRowWrite> writes) {
    return absent.getOrDefault(topic(writes), true)
        && writes.stream().noneMatch(KvRowWrite::isDelete);
  }

  /** Most requests tell what is known, and all threads would write to the same place. */
  private void learn(String topic, boolean allAbsent) {
    if (absent.getOrDefault(topic, true) != allAbsent) {
      absent.put(topic, allAbsent);
    }
  }

  private static String topic(List<KvRowWrite> writes) {
    return writes.get(0).record().originalTopic();
  }

  private List<Refusal> applySingly(List<FencedRow> rows, long tombstonesFrom, Attempt attempt) {
    List<Refusal> refusals = new ArrayList<>();
    for (FencedRow row : rows) {
      if (attempt.isOver()) {
        return refusals;
      }
      try {
        refusals.addAll(settle(row, tombstonesFrom, attempt));
      } catch (KvStoreException.Refused e) {
        refusals.addAll(row.refused(e));
      }
    }
    return refusals;
  }

  private List<Refusal> settle(FencedRow row, long tombstonesFrom, Attempt attempt) {
    Backoff backoff = backoffs.get();
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 1) {
        await(backoff.next());
      }
      FencedRow.Decision decision =
          row.over(attempt.found(row.key()), tombstonesFrom, maxValueBytes);
      if (decision.operation().isEmpty()
          || applied(attempt.store(), decision.operation().get(), NONE)) {
        return decision.refusals();
      }
    }
    throw new KvStoreException.Unavailable(
        "others changed %s %d times while it was being written".formatted(row.key(), MAX_TRIES));
  }

  /** Writes so far that were there already, or something newer in their place. */
  long heldOff() {
    return heldOff.sum();
  }

  /** Forgets what was written, because other tasks write some of the rows now. */
  void forgetWritten() {
    written.clear();
  }

  /** Lets no wait hold up a stop. */
  void stop() {
    stop.stop();
  }

  private void await(Duration wait) {
    try {
      stop.await(wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectException("interrupted while writing; what was not applied comes again", e);
    }
  }

  /**
   * False: the condition did not hold.
   *
   * @param operation with a condition
   */
  private static boolean applied(KvStore store, KvOperation operation, WrittenRecords known) {
    KvKey key = operation.key();
    Optional<byte[]> value = operation.newValue();
    if (value.isEmpty()) {
      known.forget(key);
    }
    Optional<KvVersion> version = store.write(operation);
    if (value.isPresent() && version.isPresent()) {
      known.put(new KvRecord(key, value.get(), version.get()));
    }
    return version.isPresent();
  }

  private static void execute(KvStore store, List<KvOperation> operations, WrittenRecords known) {
    List<KvResult> results = store.execute(operations);
    for (int i = 0; i < operations.size(); i++) {
      KvKey key = operations.get(i).key();
      Optional<byte[]> value = operations.get(i).newValue();
      if (value.isPresent()) {
        known.put(new KvRecord(key, value.get(), results.get(i).version().orElseThrow()));
      } else {
        known.forget(key);
      }
    }
  }

  /** What is to be done about several records of one major path. */
  private final class Decisions {
    private final List<KvOperation> operations = new ArrayList<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private int held;
    private final WrittenRecords known;
    private long bytes;

    private Decisions(WrittenRecords known) {
      this.known = known;
    }

    private void add(FencedRow.Decision decision) {
      decision.operation().ifPresent(this::add);
      refusals.addAll(decision.refusals());
      held += decision.heldOff();
    }

    private void add(KvOperation operation) {
      operations.add(operation);
      bytes += KvRowWrite.bytes(operation.key(), operation.newValue().orElse(null));
    }

    /** Whether they are too large for one request, as lists may be. */
    private boolean areTooLarge() {
      return operations.size() > 1 && bytes > KvRowWriter.MAX_BYTES;
    }

    /**
     * False: nothing was done, as a condition did not hold, the store refuses a row, or they are
     * too large.
     */
    private boolean apply(KvStore store) {
      if (areTooLarge()) {
        return false;
      }
      try {
        if (operations.size() > 1) {
          execute(store, operations, known);
        } else if (!operations.isEmpty() && !applied(store, operations.get(0), known)) {
          return false;
        }
        heldOff.add(held);
        return true;
      } catch (KvExecutionException | KvStoreException.Refused e) {
        return false;
      }
    }
  }

  /**
   * What a batch changes in one record of the store.
   *
   * @param writes at least one, all of this key
   */
  record FencedRow(KvKey key, List<KvRowWrite> writes) {

    /** The records that writes change, in the order in which their keys come first. */
    static List<FencedRow> of(Collection<KvRowWrite> writes) {
      Map<KvKey, List<KvRowWrite>> byKey = new LinkedHashMap<>();
      writes.forEach(
          write -> byKey.computeIfAbsent(write.key(), key -> new ArrayList<>()).add(write));
      return byKey.entrySet().stream()
          .map(entry -> new FencedRow(entry.getKey(), entry.getValue()))
          .toList();
    }

    /**
     * What is to be done about a record.
     *
     * @param operation holds only if the record is still as it was found; empty: what the batch has
     *     is there already, or something newer
     * @param refusals writes that have no place in it
     * @param heldOff writes that are there already, or something newer in their place
     */
    record Decision(Optional<KvOperation> operation, List<Refusal> refusals, int heldOff) {}

    List<Refusal> refused(RuntimeException cause) {
      return writes.stream().map(write -> new Refusal(write, cause)).toList();
    }

    /**
     * What is to be done if this is what the store holds.
     *
     * @param tombstonesFrom revision from which on tombstones count
     * @param maxBytes that the record's value may take when it grows
     */
    Decision over(Optional<KvRecord> found, long tombstonesFrom, int maxBytes) {
      KvContent content;
      try {
        byte[] value = found.map(KvRecord::value).orElse(null);
        content = writes.get(0).layout().content(value, tombstonesFrom, maxBytes);
      } catch (LayoutException e) {
        return new Decision(Optional.empty(), refused(unexpected(e)), 0);
      }
      int heldOff = 0;
      List<Refusal> refusals = new ArrayList<>();
      for (KvRowWrite write : writes) {
        try {
          heldOff += content.merge(write.value(), write.revision(), write.isDelete()) ? 0 : 1;
        } catch (LayoutException e) {
          refusals.add(new Refusal(write, e));
        }
      }
      boolean isChanged = heldOff + refusals.size() < writes.size();
      Optional<KvOperation> operation =
          isChanged ? replacing(found, content.value()) : Optional.empty();
      return new Decision(operation, refusals, heldOff);
    }

    private static LayoutException unexpected(LayoutException cause) {
      return new LayoutException(
          "under the row's key the store holds something that is no row of the view, which is not"
              + " replaced: %s; remove it, or rebuild the view".formatted(cause.getMessage()),
          cause);
    }

    private Optional<KvOperation> replacing(Optional<KvRecord> found, Optional<byte[]> next) {
      if (found.isEmpty()) {
        return next.map(value -> new KvOperation.PutIfAbsent(key, value));
      }
      KvVersion version = found.get().version();
      return Optional.of(
          next.<KvOperation>map(value -> new KvOperation.PutIfVersion(key, value, version))
              .orElseGet(() -> new KvOperation.DeleteIfVersion(key, version)));
    }
  }
}
