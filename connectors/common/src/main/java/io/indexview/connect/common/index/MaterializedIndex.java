package io.indexview.connect.common.index;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Get;
import com.sleepycat.je.OperationResult;
import com.sleepycat.je.Put;
import com.sleepycat.je.Transaction;
import io.indexview.connect.common.index.IndexedTopic.IndexState;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The index on disk: an entry per primary key, in the order of the keys' bytes, and the topic
 * positions up to which they were materialized, changed together. What a crash of the machine takes
 * is read from the topic again. For one thread.
 *
 * @param <S> what it knows beside its rows
 */
public final class MaterializedIndex<S extends IndexState<S>> implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Most rows that are removed one by one; for more it is faster to replace their database. */
  private static final int FEW_ROWS = 1_000;

  private static final String ROWS = "entries";
  private static final String STATES = "topic";
  private static final byte[] STATE = "state".getBytes(StandardCharsets.UTF_8);

  private final IndexEnvironment environment;
  private final Class<S> stateType;
  private final Database states;
  private Database rows;
  private Optional<S> state;

  private MaterializedIndex(IndexEnvironment environment, Class<S> stateType) {
    this.environment = environment;
    this.stateType = stateType;
    this.rows = environment.database(ROWS);
    this.states = environment.database(STATES);
    this.state = readState();
  }

  /**
   * Opens the index, or creates an empty one.
   *
   * @throws IndexInUseException if another process, or a task that is not closed yet, has it
   * @throws IllegalStateException if it is damaged
   */
  public static <S extends IndexState<S>> MaterializedIndex<S> open(
      Path directory, Class<S> stateType) {
    IndexEnvironment environment = IndexEnvironment.open(directory);
    boolean opened = false;
    try {
      MaterializedIndex<S> index = new MaterializedIndex<>(environment, stateType);
      opened = true;
      return index;
    } finally {
      if (!opened) {
        environment.close();
      }
    }
  }

  /** Where it lies, without symbolic links. */
  public Path directory() {
    return environment.directory();
  }

  /** What is known of the topic; empty for a new index. */
  public Optional<S> state() {
    return state;
  }

  private Optional<S> readState() {
    DatabaseEntry value = new DatabaseEntry();
    OperationResult found = states.get(null, new DatabaseEntry(STATE), value, Get.SEARCH, null);
    return found == null ? Optional.empty() : Optional.of(decode(value.getData()));
  }

  private S decode(byte[] bytes) {
    try {
      return JSON.readValue(bytes, stateType);
    } catch (IOException e) {
      throw new IllegalStateException(
          "index %s is damaged; delete the directory and it is built again"
              .formatted(environment.directory()),
          e);
    }
  }

  private byte[] encode(S next) {
    try {
      return JSON.writeValueAsBytes(next);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("index state cannot be written", e);
    }
  }

  /** Forgets every row and begins anew. Cut short, it leaves a new index. */
  public void reset(S fresh) {
    List<IndexRow> few = rowsAfter(null, FEW_ROWS);
    if (few.size() < FEW_ROWS) {
      change(
          batch -> {
            few.forEach(row -> batch.remove(row.key()));
            batch.state(fresh);
          });
    } else {
      states.delete(null, new DatabaseEntry(STATE), null);
      state = Optional.empty();
      rows = environment.emptied(ROWS);
      change(batch -> batch.state(fresh));
    }
  }

  public Optional<Entry> entry(byte[] key) {
    return entry(null, key);
  }

  private Optional<Entry> entry(Transaction transaction, byte[] key) {
    DatabaseEntry value = new DatabaseEntry();
    return rows.get(transaction, new DatabaseEntry(key), value, Get.SEARCH, null) == null
        ? Optional.empty()
        : Optional.of(EntryCodec.decode(value.getData()));
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
        found.add(new IndexRow(key.getData(), EntryCodec.decode(value.getData())));
        at = cursor.get(key, value, Get.NEXT, null);
      }
    }
    return found;
  }

  /** Runs an action with a batch: all of its changes are made, or none. */
  public void change(Consumer<Batch> action) {
    state =
        environment.change(
            transaction -> {
              Batch batch = new Batch(transaction);
              action.accept(batch);
              return batch.nextState;
            });
  }

  @Override
  public void close() {
    environment.close();
  }

  /** Changes that are made together. */
  public final class Batch {
    private final Transaction transaction;
    private Optional<S> nextState = state;

    private Batch(Transaction transaction) {
      this.transaction = transaction;
    }

    /** The entry as this batch sees it. */
    public Optional<Entry> entry(byte[] key) {
      return MaterializedIndex.this.entry(transaction, key);
    }

    public void put(byte[] key, Entry entry) {
      DatabaseEntry value = new DatabaseEntry(EntryCodec.encode(entry));
      rows.put(transaction, new DatabaseEntry(key), value, Put.OVERWRITE, null);
    }

    public void remove(byte[] key) {
      rows.delete(transaction, new DatabaseEntry(key), null);
    }

    public void state(S next) {
      nextState = Optional.of(next);
      DatabaseEntry value = new DatabaseEntry(encode(next));
      states.put(transaction, new DatabaseEntry(STATE), value, Put.OVERWRITE, null);
    }
  }

  /**
   * What an index holds of one primary key.
   *
   * @param key UTF-8 of the primary key; not copied, never to be changed
   */
  public record IndexRow(byte[] key, Entry entry) {}

  /** Thrown while another task has the index open; it may be about to close it. */
  public static final class IndexInUseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IndexInUseException(Path directory, Throwable cause) {
      super(
          "index %s is in use by another process or task; give each worker its own index.dir, and each connector its own source.name"
              .formatted(directory),
          cause);
    }
  }
}
