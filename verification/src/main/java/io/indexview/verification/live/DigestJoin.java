package io.indexview.verification.live;

import io.indexview.verification.RowContent;
import io.indexview.verification.live.RowImage.ContentDigest;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * An outer join of all expected with all actual rows on disk, most of which are right: only of the
 * others it gives back more than their number. Rows are spread over files by their ids, and the
 * files joined one after the other, as in {@link RowJoin}. Memory holds digests of one file's
 * expected rows, {@value #BYTES_PER_ROW} bytes a row.
 *
 * <p>An id, and what a row holds, is taken for another's only if the first 128 bits of their
 * SHA-256 are the same. That any two of ten billion rows share them has a probability below {@code
 * 1e-18}, and to make a row that does takes {@code 2^128} tries.
 *
 * <p>Expected and actual rows may be put in by two threads, one each; all else is for one.
 */
final class DigestJoin implements AutoCloseable {
  /** Memory of a row: two digests, a state, and an index that is half full. */
  private static final int BYTES_PER_ROW = 48;

  /** Rows that fit into the caches of a processor. */
  private static final int ROWS_IN_CACHE = 50_000;

  private static final int MAX_FOR_CACHE = 64;
  private static final int MAX_PARTITIONS = 256;

  private static final int PRESENT = 1;
  private static final int HAS_REVISION = 2;
  private static final int MOVED = 4;
  private static final int SUPERSEDED = 8;
  private static final int SEEN = 16;
  private static final int EQUAL = 32;

  private final RowFiles files;
  private final Side expected;
  private final Side actual;

  /** What becomes of a row. */
  interface Results {
    /**
     * The row is as it should be.
     *
     * @param stands whether it should be there
     */
    void right(boolean stands);

    /** The row exists on at least one side, and the sides differ, as far as their bytes tell. */
    void suspect(String id, Optional<RowImage> expected);

    /**
     * The row changed while the actual rows were read.
     *
     * @param newest what it should be by now
     */
    void moved(String id, Optional<RowImage> newest);
  }

  /**
   * What the files of one side hold.
   *
   * @param bytes of each
   * @param entries of each
   */
  record Extent(List<Long> bytes, List<Integer> entries) {
    Extent {
      bytes = List.copyOf(bytes);
      entries = List.copyOf(entries);
    }

    static Extent empty(int partitions) {
      return new Extent(Collections.nCopies(partitions, 0L), Collections.nCopies(partitions, 0));
    }
  }

  /**
   * @param directory where to make the files; removed with them
   * @param partitions number of files of each side
   */
  DigestJoin(Path directory, int partitions) {
    this(directory, Extent.empty(partitions), Extent.empty(partitions));
  }

  /**
   * Goes on with what was kept.
   *
   * @param directory where the files are; removed with them
   */
  DigestJoin(Path directory, Extent expected, Extent actual) {
    this.files = new RowFiles(directory, lengths(expected, actual));
    this.expected = new Side(0, expected);
    this.actual = new Side(expected.bytes().size(), actual);
  }

  private static List<Long> lengths(Extent expected, Extent actual) {
    return Stream.concat(expected.bytes().stream(), actual.bytes().stream()).toList();
  }

  /**
   * How many files to make of each side.
   *
   * @param rows that are expected, about
   * @param memoryBytes how much those of one file may take, about
   */
  static int partitions(long rows, long memoryBytes) {
    long forCache = Math.min(MAX_FOR_CACHE, rows / ROWS_IN_CACHE);
    long forMemory = rows * BYTES_PER_ROW / memoryBytes;
    return (int) Math.min(MAX_PARTITIONS, 1 + Math.max(forCache, forMemory));
  }

  /** Whether the files of a directory hold what was kept. */
  static boolean holds(Path directory, Extent expected, Extent actual) {
    return RowFiles.areIn(directory, lengths(expected, actual));
  }

  /**
   * Flushes the expected rows to the files, so that they outlive the process.
   *
   * @param sync whatever becomes of the system, too
   */
  Extent keepExpected(boolean sync) {
    return expected.keep(sync);
  }

  /** Flushes the actual rows like {@link #keepExpected}. */
  Extent keepActual(boolean sync) {
    return actual.keep(sync);
  }

  /** Closes the files, and leaves them there. */
  void leave() {
    files.leave();
  }

  /** The newest state before the actual rows are read; replaces one that came earlier. */
  void expect(String id, Optional<RowContent> row) {
    expected.write(id, row, 0);
  }

  /** A change that the actual row may show or not; the last one counts. */
  void moved(String id, Optional<RowContent> row) {
    expected.write(id, row, MOVED);
  }

  /**
   * An actual row.
   *
   * @param content that is equal to that of the expected one only if the rows are
   */
  void found(String id, byte[] content) {
    actual.write(id, content);
  }

  /** Tells what became of each row. May be called once, when everything is put in. */
  void finish(Results results) {
    try {
      Table table = new Table(Arrays.stream(expected.entries).max().orElse(0));
      for (int i = 0; i < expected.entries.length; i++) {
        try (Reader rows = expected.read(i)) {
          table.load(rows);
        }
        try (Reader rows = actual.read(i)) {
          table.compare(rows, results);
        }
        if (table.judge(results) > 0) {
          try (Reader rows = expected.read(i)) {
            table.tellQuestions(rows, results);
          }
        }
      }
    } catch (IOException e) {
      throw files.failed(e);
    }
  }

  /** Removes the files. */
  @Override
  public void close() {
    files.close();
  }

  /**
   * Files of entries: the length of what follows, flags, digests of id and content, the revision,
   * the length of the id, the id, the primary key.
   */
  private final class Side {
    private static final int FIXED_BYTES = 1 + 2 * RowImage.CONTENT_BYTES + 8 + 4;

    private final int first;
    private final int[] entries;
    private final ContentDigest digester = new ContentDigest();
    private ByteBuffer entry = ByteBuffer.allocate(1 << 10);

    /**
     * @param first number of its first file
     */
    Side(int first, Extent kept) {
      this.first = first;
      this.entries = kept.entries().stream().mapToInt(Integer::intValue).toArray();
    }

    Extent keep(boolean sync) {
      List<Long> bytes = new ArrayList<>();
      for (int i = 0; i < entries.length; i++) {
        bytes.add(files.keep(first + i, sync));
      }
      return new Extent(bytes, Arrays.stream(entries).boxed().toList());
    }

    void write(String id, Optional<RowContent> row, int flags) {
      if (row.isEmpty()) {
        write(id, "", flags, 0, null);
        return;
      }
      OptionalLong revision = row.get().revision();
      write(
          id,
          row.get().primaryKey(),
          flags | PRESENT | (revision.isPresent() ? HAS_REVISION : 0),
          revision.orElse(0),
          row.get().content());
    }

    void write(String id, byte[] content) {
      write(id, "", PRESENT, 0, content);
    }

    private void write(String id, String primaryKey, int flags, long revision, byte[] content) {
      byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
      byte[] keyBytes = primaryKey.getBytes(StandardCharsets.UTF_8);
      int length = FIXED_BYTES + idBytes.length + keyBytes.length;
      if (entry.capacity() < length + Integer.BYTES) {
        entry = ByteBuffer.allocate(2 * (length + Integer.BYTES));
      }
      entry.clear().putInt(length).put((byte) flags);
      byte[] digest = digester.of(idBytes);
      int file = file(digest);
      entry.put(digest, 0, RowImage.CONTENT_BYTES);
      if (content == null) {
        entry.putLong(0).putLong(0);
      } else {
        entry.put(digester.of(content), 0, RowImage.CONTENT_BYTES);
      }
      entry.putLong(revision).putInt(idBytes.length).put(idBytes).put(keyBytes);
      try {
        files.out(first + file).write(entry.array(), 0, entry.position());
        entries[file] = Math.incrementExact(entries[file]);
      } catch (IOException e) {
        throw files.failed(e);
      }
    }

    /** Number of the file for a digest, from other bits than those that are compared. */
    private int file(byte[] digest) {
      int high = digest[RowImage.CONTENT_BYTES] & 0xFF;
      int low = digest[RowImage.CONTENT_BYTES + 1] & 0xFF;
      return (high << Byte.SIZE | low) % entries.length;
    }

    Reader read(int number) throws IOException {
      return new Reader(files.in(first + number));
    }
  }

  /** The entries of a file, one after the other. */
  private static final class Reader implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final InputStream in;
    private ByteBuffer bytes = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
    private int end;
    private int flags;
    private long idHigh;
    private long idLow;
    private long contentHigh;
    private long contentLow;

    Reader(InputStream in) {
      this.in = in;
    }

    /** Goes to the next one; false: there is none. */
    boolean next() throws IOException {
      bytes.position(end);
      if (!has(Integer.BYTES)) {
        if (bytes.hasRemaining()) {
          throw new EOFException("the file ends within a row");
        }
        return false;
      }
      int length = bytes.getInt();
      if (!has(length)) {
        throw new EOFException("the file ends within a row");
      }
      end = bytes.position() + length;
      flags = bytes.get();
      idHigh = bytes.getLong();
      idLow = bytes.getLong();
      contentHigh = bytes.getLong();
      contentLow = bytes.getLong();
      return true;
    }

    private boolean has(int length) throws IOException {
      if (bytes.remaining() >= length) {
        return true;
      }
      if (bytes.capacity() < length) {
        bytes = ByteBuffer.allocate(2 * length).put(bytes).flip();
      }
      bytes.compact();
      int read = 0;
      while (read >= 0 && bytes.position() < length) {
        read = in.read(bytes.array(), bytes.position(), bytes.remaining());
        bytes.position(bytes.position() + Math.max(0, read));
      }
      bytes.flip();
      return bytes.remaining() >= length;
    }

    String id() {
      return text(texts(), idLength());
    }

    Optional<RowImage> image() {
      if ((flags & PRESENT) == 0) {
        return Optional.empty();
      }
      int primaryKey = texts() + idLength();
      long revision = bytes.getLong(bytes.position());
      return Optional.of(
          new RowImage(
              text(primaryKey, end - primaryKey),
              (flags & HAS_REVISION) == 0 ? OptionalLong.empty() : OptionalLong.of(revision),
              ByteBuffer.allocate(RowImage.CONTENT_BYTES)
                  .putLong(contentHigh)
                  .putLong(contentLow)
                  .flip()));
    }

    private int idLength() {
      return bytes.getInt(bytes.position() + Long.BYTES);
    }

    private int texts() {
      return bytes.position() + Long.BYTES + Integer.BYTES;
    }

    private String text(int from, int length) {
      return new String(bytes.array(), from, length, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** The expected rows of a file, numbered as they lie in it. */
  private static final class Table {
    private static final int WORDS = 4;

    /** Both digests of each row, side by side: one access brings them into a cache. */
    private final long[] digests;

    private final byte[] states;

    /** Numbers of rows, from 1, where the low bits of their ids say or behind; 0: none. */
    private final int[] index;

    private int rows;

    /**
     * @param maxRows that there are at once
     */
    Table(int maxRows) {
      digests = new long[Math.multiplyExact(WORDS, maxRows)];
      states = new byte[maxRows];
      index = new int[Integer.highestOneBit(Math.max(1, maxRows + maxRows / 3)) << 1];
    }

    private int slot(long idHigh, long idLow) {
      int slot = (int) idLow & (index.length - 1);
      while (index[slot] != 0 && !isOf(index[slot] - 1, idHigh, idLow)) {
        slot = (slot + 1) & (index.length - 1);
      }
      return slot;
    }

    private boolean isOf(int row, long idHigh, long idLow) {
      return digests[WORDS * row] == idHigh && digests[WORDS * row + 1] == idLow;
    }

    private boolean holds(int row, long contentHigh, long contentLow) {
      return digests[WORDS * row + 2] == contentHigh && digests[WORDS * row + 3] == contentLow;
    }

    void load(Reader entries) throws IOException {
      Arrays.fill(index, 0);
      rows = 0;
      while (entries.next()) {
        int slot = slot(entries.idHigh, entries.idLow);
        int state = entries.flags;
        if (index[slot] != 0) {
          state |= states[index[slot] - 1] & MOVED;
          states[index[slot] - 1] |= SUPERSEDED;
        }
        digests[WORDS * rows] = entries.idHigh;
        digests[WORDS * rows + 1] = entries.idLow;
        digests[WORDS * rows + 2] = entries.contentHigh;
        digests[WORDS * rows + 3] = entries.contentLow;
        states[rows] = (byte) state;
        rows++;
        index[slot] = rows;
      }
    }

    void compare(Reader entries, Results results) throws IOException {
      while (entries.next()) {
        int row = index[slot(entries.idHigh, entries.idLow)] - 1;
        if (row < 0) {
          results.suspect(entries.id(), Optional.empty());
          continue;
        }
        boolean equal = holds(row, entries.contentHigh, entries.contentLow);
        states[row] = (byte) (states[row] & ~EQUAL | SEEN | (equal ? EQUAL : 0));
      }
    }

    private boolean isRight(int row) {
      return switch (states[row] & (MOVED | PRESENT | SEEN | EQUAL)) {
        case PRESENT | SEEN | EQUAL, 0 -> true;
        default -> false;
      };
    }

    private boolean isNewest(int row) {
      return (states[row] & SUPERSEDED) == 0;
    }

    /** Tells which rows are right; returns how many may not be. */
    int judge(Results results) {
      int questions = 0;
      for (int row = 0; row < rows; row++) {
        if (!isNewest(row)) {
          continue;
        } else if (isRight(row)) {
          results.right((states[row] & PRESENT) != 0);
        } else {
          questions++;
        }
      }
      return questions;
    }

    /**
     * Tells the others.
     *
     * @param entries of the same file once more
     */
    void tellQuestions(Reader entries, Results results) throws IOException {
      for (int row = 0; entries.next(); row++) {
        if (!isNewest(row) || isRight(row)) {
          continue;
        } else if ((states[row] & MOVED) != 0) {
          results.moved(entries.id(), entries.image());
        } else {
          results.suspect(entries.id(), entries.image());
        }
      }
    }
  }
}
