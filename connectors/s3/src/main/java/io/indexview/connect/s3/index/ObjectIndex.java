package io.indexview.connect.s3.index;

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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * An entry per primary key on disk, in the order in which a bucket is listed, and the topic
 * positions up to which they were folded, changed together. What a crash of the machine takes is
 * read from the topic again. For one thread.
 */
final class ObjectIndex implements AutoCloseable {
  private static final long CACHE_BYTES = 32L << 20;
  private static final String MIN_FREE_DISK_BYTES = Long.toString(64L << 20);
  private static final String ROWS = "rows";
  private static final DatabaseEntry TOPIC_KEY = key("topic");

  /** Within one process JE lets several users share what is open, and refuses none. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final Environment environment;
  private final Database state;
  private Database rows;
  private Optional<IndexedTopic> topic;

  private ObjectIndex(Path directory, Environment environment) {
    this.directory = directory;
    this.environment = environment;
    this.state = environment.openDatabase(null, "state", databases());
    this.rows = environment.openDatabase(null, ROWS, databases());
    DatabaseEntry value = new DatabaseEntry();
    boolean known = state.get(null, TOPIC_KEY, value, Get.SEARCH, null) != null;
    this.topic = known ? Optional.of(IndexedTopic.decode(value.getData())) : Optional.empty();
  }

  /**
   * Opens the index, or creates an empty one.
   *
   * @throws IndexInUseException if another process, or a task that is not closed yet, has it
   */
  static ObjectIndex open(Path directory) {
    Path real = create(directory);
    if (!OPEN.add(real)) {
      throw new IndexInUseException(directory, null);
    }
    boolean opened = false;
    try {
      ObjectIndex index = new ObjectIndex(real, new Environment(real.toFile(), environments()));
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

  private static EnvironmentConfig environments() {
    EnvironmentConfig config = new EnvironmentConfig();
    config.setAllowCreate(true).setTransactional(true);
    config.setDurability(Durability.COMMIT_WRITE_NO_SYNC);
    config.setCacheSize(CACHE_BYTES);
    config.setConfigParam(EnvironmentConfig.FREE_DISK, MIN_FREE_DISK_BYTES);
    return config;
  }

  private static DatabaseConfig databases() {
    return new DatabaseConfig().setAllowCreate(true).setTransactional(true);
  }

  private static DatabaseEntry key(String text) {
    return new DatabaseEntry(text.getBytes(StandardCharsets.UTF_8));
  }

  /** What is known of the topic; empty for a new index. */
  Optional<IndexedTopic> topic() {
    return topic;
  }

  /** Forgets every row and begins anew. Cut short, it leaves a new index. */
  void reset(IndexedTopic fresh) {
    state.delete(null, TOPIC_KEY, null);
    topic = Optional.empty();
    rows.close();
    environment.truncateDatabase(null, ROWS, false);
    rows = environment.openDatabase(null, ROWS, databases());
    change(batch -> batch.topic(fresh));
  }

  Optional<Entry> entry(String primaryKey) {
    return entry(null, primaryKey);
  }

  private Optional<Entry> entry(Transaction transaction, String primaryKey) {
    DatabaseEntry value = new DatabaseEntry();
    return rows.get(transaction, key(primaryKey), value, Get.SEARCH, null) == null
        ? Optional.empty()
        : Optional.of(EntryCodec.decode(value.getData()));
  }

  /**
   * Entries in the order of their keys' bytes.
   *
   * @param after the key before the first
   * @param prefix of all of them
   * @param last the last key; null: to the end of the prefix
   */
  Map<String, Entry> range(String after, String prefix, String last, int limit) {
    Map<String, Entry> found = new LinkedHashMap<>();
    byte[] end = last == null ? null : last.getBytes(StandardCharsets.UTF_8);
    try (Cursor cursor = rows.openCursor(null, CursorConfig.READ_COMMITTED)) {
      DatabaseEntry key = key(after);
      DatabaseEntry value = new DatabaseEntry();
      OperationResult at = cursor.get(key, value, Get.SEARCH_GTE, null);
      while (at != null && found.size() < limit) {
        String text = new String(key.getData(), StandardCharsets.UTF_8);
        boolean isPast =
            !text.startsWith(prefix)
                || end != null && Arrays.compareUnsigned(key.getData(), end) > 0;
        if (isPast) {
          break;
        }
        if (!text.equals(after)) {
          found.put(text, EntryCodec.decode(value.getData()));
        }
        at = cursor.get(key, value, Get.NEXT, null);
      }
    }
    return found;
  }

  /** Everything that the action does with the batch is done, or nothing. */
  void change(Consumer<Batch> action) {
    Transaction transaction = environment.beginTransaction(null, null);
    try {
      Batch batch = new Batch(transaction);
      action.accept(batch);
      transaction.commit();
      topic = batch.nextTopic;
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

  /** Changes that are made together. */
  final class Batch {
    private final Transaction transaction;
    private Optional<IndexedTopic> nextTopic = topic;

    private Batch(Transaction transaction) {
      this.transaction = transaction;
    }

    /** The entry as this batch sees it. */
    Optional<Entry> entry(String primaryKey) {
      return ObjectIndex.this.entry(transaction, primaryKey);
    }

    void put(String primaryKey, Entry entry) {
      rows.put(
          transaction,
          key(primaryKey),
          new DatabaseEntry(EntryCodec.encode(entry)),
          Put.OVERWRITE,
          null);
    }

    void remove(String primaryKey) {
      rows.delete(transaction, key(primaryKey), null);
    }

    void topic(IndexedTopic next) {
      nextTopic = Optional.of(next);
      state.put(transaction, TOPIC_KEY, new DatabaseEntry(next.encode()), Put.OVERWRITE, null);
    }
  }
}
