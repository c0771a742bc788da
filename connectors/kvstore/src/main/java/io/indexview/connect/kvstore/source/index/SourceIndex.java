package io.indexview.connect.kvstore.source.index;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.EnvironmentLockedException;
import com.sleepycat.je.Get;
import com.sleepycat.je.OperationResult;
import com.sleepycat.je.Put;
import com.sleepycat.je.Transaction;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The index on disk: an entry per primary key, and the topic positions up to which they were
 * folded, changed together. What a crash of the machine takes is read from the topic again. For one
 * thread.
 */
public final class SourceIndex implements AutoCloseable {
  private static final long CACHE_BYTES = 32L << 20;
  private static final int CLEAR_BATCH = 10_000;
  private static final String MIN_FREE_DISK_BYTES = Long.toString(64L << 20);

  /**
   * Within one process JE lets several users share what is open, and does not refuse the second.
   */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final Environment environment;
  private final Database rows;
  private final Database state;
  private Optional<IndexState> knownState;

  private SourceIndex(Path directory, Environment environment) {
    this.directory = directory;
    this.environment = environment;
    DatabaseConfig config = new DatabaseConfig().setAllowCreate(true).setTransactional(true);
    this.rows = environment.openDatabase(null, "entries", config);
    this.state = environment.openDatabase(null, "topic", config);
    this.knownState = readState();
  }

  /**
   * Opens the index, or creates an empty one.
   *
   * @throws IndexInUseException if another process, or a task that is not closed yet, has it
   */
  public static SourceIndex open(Path directory) {
    Path real = create(directory);
    if (!OPEN.add(real)) {
      throw new IndexInUseException(directory, null);
    }
    boolean opened = false;
    try {
      SourceIndex index = new SourceIndex(real, new Environment(real.toFile(), config()));
      opened = true;
      return index;
    } catch (EnvironmentLockedException e) {
      throw new IndexInUseException(directory, e);
    } finally {
      if (!opened) {
        OPEN.remove(real);
      }
    }
  }

  private static Path create(Path directory) {
    try {
      return Files.createDirectories(directory).toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("index directory " + directory + " cannot be created", e);
    }
  }

  private static EnvironmentConfig config() {
    EnvironmentConfig config = new EnvironmentConfig().setAllowCreate(true).setTransactional(true);
    config.setDurability(Durability.COMMIT_WRITE_NO_SYNC);
    config.setCacheSize(CACHE_BYTES);
    config.setConfigParam(EnvironmentConfig.FREE_DISK, MIN_FREE_DISK_BYTES);
    return config;
  }

  /** Where it lies, without symbolic links. */
  public Path directory() {
    return directory;
  }

  /** What is known of the topic; empty for a new index. */
  public Optional<IndexState> state() {
    return knownState;
  }

  private Optional<IndexState> readState() {
    DatabaseEntry value = new DatabaseEntry();
    OperationResult found = state.get(null, IndexState.KEY, value, Get.SEARCH, null);
    return found == null ? Optional.empty() : Optional.of(IndexState.decode(value.getData()));
  }

  /** Forgets every row and begins anew. Cut short, it leaves a new index. */
  public void reset(IndexState fresh) {
    change(
        batch -> {
          state.delete(batch.transaction, IndexState.KEY, null);
          batch.nextState = Optional.empty();
        });
    clear(rows);
    change(batch -> batch.state(fresh));
  }

  private void clear(Database database) {
    AtomicBoolean more = new AtomicBoolean(true);
    while (more.get()) {
      change(batch -> more.set(deleteSome(batch.transaction, database)));
    }
  }

  /** Few enough that one transaction can hold their locks. */
  private static boolean deleteSome(Transaction transaction, Database database) {
    try (Cursor cursor = database.openCursor(transaction, null)) {
      DatabaseEntry key = new DatabaseEntry();
      DatabaseEntry noValue = noData();
      for (int i = 0; i < CLEAR_BATCH; i++) {
        if (cursor.get(key, noValue, Get.NEXT, null) == null) {
          return false;
        }
        cursor.delete();
      }
      return true;
    }
  }

  public Optional<IndexRow> row(byte[] key) {
    DatabaseEntry value = new DatabaseEntry();
    return rows.get(null, new DatabaseEntry(key), value, Get.SEARCH, null) == null
        ? Optional.empty()
        : Optional.of(decode(key, value.getData()));
  }

  /**
   * Rows in the order of their keys.
   *
   * @param after null: from the first key
   */
  public List<IndexRow> rowsAfter(byte[] after, int limit) {
    List<IndexRow> found = new ArrayList<>();
    try (Cursor cursor = rows.openCursor(null, CursorConfig.READ_COMMITTED)) {
      DatabaseEntry key = after == null ? new DatabaseEntry() : new DatabaseEntry(after);
      DatabaseEntry value = new DatabaseEntry();
      OperationResult at = cursor.get(key, value, after == null ? Get.FIRST : Get.SEARCH_GTE, null);
      if (at != null && after != null && Arrays.equals(key.getData(), after)) {
        at = cursor.get(key, value, Get.NEXT, null);
      }
      while (at != null && found.size() < limit) {
        found.add(decode(key.getData(), value.getData()));
        at = cursor.get(key, value, Get.NEXT, null);
      }
    }
    return found;
  }

  /** Everything that the action does with the batch is done, or nothing. */
  public void change(Consumer<Batch> action) {
    Transaction transaction = environment.beginTransaction(null, null);
    try {
      Batch batch = new Batch(transaction);
      action.accept(batch);
      transaction.commit();
      knownState = batch.nextState;
    } finally {
      if (transaction.getState() != Transaction.State.COMMITTED) {
        // Also one that failed to commit, which is not valid any more: it holds its locks.
        transaction.abort();
      }
    }
  }

  @Override
  public void close() {
    try {
      rows.close();
      state.close();
      environment.close();
    } finally {
      OPEN.remove(directory);
    }
  }

  private static IndexRow decode(byte[] key, byte[] value) {
    return new IndexRow(key, EntryCodec.decode(value));
  }

  private static DatabaseEntry noData() {
    DatabaseEntry none = new DatabaseEntry();
    none.setPartial(0, 0, true);
    return none;
  }

  /** Changes that are made together. */
  public final class Batch {
    private final Transaction transaction;
    private Optional<IndexState> nextState = knownState;

    private Batch(Transaction transaction) {
      this.transaction = transaction;
    }

    /** The row as this batch sees it. */
    public Optional<IndexRow> row(byte[] key) {
      DatabaseEntry value = new DatabaseEntry();
      return rows.get(transaction, new DatabaseEntry(key), value, Get.SEARCH, null) == null
          ? Optional.empty()
          : Optional.of(decode(key, value.getData()));
    }

    /** Stores an entry without its value. */
    public void put(byte[] key, Entry entry) {
      byte[] value = EntryCodec.encode(entry.withoutValue());
      rows.put(transaction, new DatabaseEntry(key), new DatabaseEntry(value), Put.OVERWRITE, null);
    }

    public void remove(IndexRow row) {
      rows.delete(transaction, new DatabaseEntry(row.key()), null);
    }

    public void state(IndexState next) {
      nextState = Optional.of(next);
      state.put(transaction, IndexState.KEY, new DatabaseEntry(next.encode()), Put.OVERWRITE, null);
    }
  }
}
