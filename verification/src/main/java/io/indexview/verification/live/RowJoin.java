package io.indexview.verification.live;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * An outer join of expected with actual rows on disk: rows are spread over files by their id, and
 * the files are joined in memory one after the other (a <i>Grace hash join</i>, Kitsuregawa et al.
 * 1983). So memory holds one file's rows, some 400 bytes each. Not safe for use by several threads.
 */
final class RowJoin implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 << 10;
  private static final int NONE = -1;

  private final RowFiles files;
  private final DataOutputStream[] outputs;

  /** What becomes of a row. */
  interface Results {
    /**
     * The row is as it should be.
     *
     * @param stands whether it should be there
     */
    void right(String id, boolean stands);

    /**
     * The row exists on at least one side, and the sides differ.
     *
     * @param again whether it was {@link RowJoin#suspect} before
     */
    void wrong(String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again);

    /**
     * The row changed while the actual rows were read, and they do not show any later state of it.
     *
     * @param newest what it should be by now
     */
    void moved(String id, Optional<RowImage> newest);
  }

  private static final Kind[] KINDS = Kind.values();

  private enum Kind {
    EXPECTED,
    SUSPECT,
    ACTUAL,
    MOVED
  }

  /** What is known of a row. */
  private static final class Joined {
    private Optional<RowImage> expected = Optional.empty();
    private Optional<RowImage> actual = Optional.empty();
    private boolean isAsked;
    private boolean isSuspect;
    private boolean moved;
  }

  /**
   * @param directory where to make the files; removed with them
   * @param partitions number of files
   */
  RowJoin(Path directory, int partitions) {
    this.files = new RowFiles(directory, partitions);
    this.outputs = new DataOutputStream[partitions];
    Arrays.setAll(outputs, number -> new DataOutputStream(files.out(number)));
  }

  /** The newest state before the actual rows are read; replaces one that came earlier. */
  void expect(String id, Optional<RowImage> row) {
    write(Kind.EXPECTED, id, row);
  }

  /** The newest state of a row that was found wrong once. */
  void suspect(String id, Optional<RowImage> row) {
    write(Kind.SUSPECT, id, row);
  }

  void found(String id, RowImage row) {
    write(Kind.ACTUAL, id, Optional.of(row));
  }

  /** A change that the actual row may show or not; the last one counts. */
  void moved(String id, Optional<RowImage> row) {
    write(Kind.MOVED, id, row);
  }

  private void write(Kind kind, String id, Optional<RowImage> row) {
    DataOutputStream out = outputs[Math.floorMod(spread(id.hashCode()), outputs.length)];
    try {
      out.writeByte(kind.ordinal());
      writeText(id, out);
      if (row.isEmpty()) {
        out.writeInt(NONE);
        return;
      }
      RowImage image = row.get();
      writeText(image.primaryKey(), out);
      out.writeBoolean(image.revision().isPresent());
      out.writeLong(image.revision().orElse(0));
      out.write(image.content().array(), image.content().arrayOffset(), RowImage.CONTENT_BYTES);
    } catch (IOException e) {
      throw files.failed(e);
    }
  }

  /**
   * Spreads a hash as {@link HashMap} does: texts that differ little have hashes whose low bits
   * differ little.
   */
  private static int spread(int hash) {
    return hash ^ hash >>> 16;
  }

  private static void writeText(String text, DataOutputStream out) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /**
   * Passes on every row that is expected, or expected not to be there; one may come twice. Actual
   * rows, and rows that moved, may be put in meanwhile.
   */
  void forEachExpected(Consumer<String> ids) {
    for (int i = 0; i < outputs.length; i++) {
      // What is put in lies in the same file, perhaps half of it.
      List<String> expected = new ArrayList<>();
      read(
          i,
          (kind, id, row) -> {
            if (kind == Kind.EXPECTED || kind == Kind.SUSPECT) {
              expected.add(id);
            }
          });
      expected.forEach(ids);
    }
  }

  /**
   * Tells what became of each row that something was expected of, be it to be absent. May be called
   * once, when everything is put in.
   */
  void finish(Results results) {
    for (int i = 0; i < outputs.length; i++) {
      Map<String, Joined> rows = new HashMap<>();
      read(i, (kind, id, row) -> take(kind, row, rows.computeIfAbsent(id, any -> new Joined())));
      rows.forEach(
          (id, joined) -> {
            if (joined.isAsked) {
              judge(id, joined, results);
            }
          });
    }
  }

  private static void take(Kind kind, Optional<RowImage> row, Joined joined) {
    switch (kind) {
      case EXPECTED, SUSPECT -> {
        joined.isAsked = true;
        joined.isSuspect = kind == Kind.SUSPECT;
        joined.expected = row;
      }
      case ACTUAL -> joined.actual = row;
      case MOVED -> {
        joined.moved = true;
        joined.expected = row;
      }
    }
  }

  private static void judge(String id, Joined row, Results results) {
    if (row.moved && !isAhead(row)) {
      results.moved(id, row.expected);
    } else if (row.expected.equals(row.actual)) {
      results.right(id, row.expected.isPresent());
    } else {
      results.wrong(id, row.expected, row.actual, row.isSuspect);
    }
  }

  /**
   * Whether the row has a revision that was not derived by now: a fence may hold off all changes
   * because of it.
   */
  private static boolean isAhead(Joined row) {
    OptionalLong newest = RowImage.revision(row.expected);
    OptionalLong found = RowImage.revision(row.actual);
    return newest.isPresent() && found.isPresent() && found.getAsLong() > newest.getAsLong();
  }

  private interface EntryVisitor {
    void visit(Kind kind, String id, Optional<RowImage> row);
  }

  private void read(int number, EntryVisitor visitor) {
    try {
      outputs[number].flush();
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(files.in(number), BUFFER_BYTES))) {
        int kind = in.read();
        while (kind >= 0) {
          visitor.visit(KINDS[kind], readText(in.readInt(), in), readImage(in));
          kind = in.read();
        }
      }
    } catch (IOException e) {
      throw files.failed(e);
    }
  }

  private static Optional<RowImage> readImage(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length == NONE) {
      return Optional.empty();
    }
    String primaryKey = readText(length, in);
    boolean hasRevision = in.readBoolean();
    long revision = in.readLong();
    byte[] content = in.readNBytes(RowImage.CONTENT_BYTES);
    return Optional.of(
        new RowImage(
            primaryKey,
            hasRevision ? OptionalLong.of(revision) : OptionalLong.empty(),
            ByteBuffer.wrap(content)));
  }

  private static String readText(int length, DataInputStream in) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the file ends within a row");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Removes the files. */
  @Override
  public void close() {
    files.close();
  }
}
