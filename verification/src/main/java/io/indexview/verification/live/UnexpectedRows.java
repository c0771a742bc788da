package io.indexview.verification.live;

import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.TargetReader;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * What lies among the rows of a target and is none of them, and tombstones that should be gone, in
 * a file, which is removed when this is closed. Not safe for use by several threads; all methods
 * throw {@link UncheckedIOException} if the disk does not take it.
 */
final class UnexpectedRows implements AutoCloseable {
  private static final int ROWS_PER_BATCH = 1_000;
  private static final Kind[] KINDS = Kind.values();

  private final Path file;
  private boolean isKept;
  private DataOutputStream out;
  private long count;

  /**
   * @param file that there is not; in a directory that there is
   */
  UnexpectedRows(Path file) {
    this.file = file;
  }

  /** Whether what is added from now on is kept; at first it is not. */
  void keep(boolean kept) {
    isKept = kept;
  }

  /**
   * @param digest see {@link UnexpectedRow#digest()}
   */
  void add(Kind kind, String id, String digest) {
    if (!isKept) {
      return;
    }
    try {
      if (out == null) {
        out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
      }
      out.writeByte(kind.ordinal());
      write(id);
      write(digest);
      count++;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** A key of the KV store may be longer than {@code writeUTF} takes. */
  private void write(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  long count() {
    return count;
  }

  /** Passes them on, in the order in which they came; none may be added any more. */
  void forEach(BiConsumer<Kind, UnexpectedRow> visitor) {
    if (count == 0) {
      return;
    }
    try {
      out.close();
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
        for (long i = 0; i < count; i++) {
          visitor.accept(KINDS[in.readByte()], new UnexpectedRow(read(in), read(in)));
        }
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Asks the sink to remove the unexpected rows.
   *
   * @param await waits until what was asked for last is done
   */
  void removeBy(RepairRequests repairs, BiConsumer<String, RepairRequests> await) {
    List<UnexpectedRow> batch = new ArrayList<>();
    forEach(
        (kind, row) -> {
          batch.add(row);
          if (batch.size() == ROWS_PER_BATCH) {
            removeBy(repairs, await, batch);
          }
        });
    if (!batch.isEmpty()) {
      removeBy(repairs, await, batch);
    }
  }

  private static void removeBy(
      RepairRequests repairs, BiConsumer<String, RepairRequests> await, List<UnexpectedRow> batch) {
    repairs.remove(List.copyOf(batch));
    await.accept("waits until the sink is to remove what is unexpected", repairs);
    batch.clear();
  }

  /** Reads each key once more, and notes where nothing is now that should not. */
  void reread(TargetReader target, LiveVerification.Monitor monitor, Findings findings) {
    forEach(
        (kind, row) -> {
          monitor.rowRead();
          monitor.at("reads what was unexpected", findings.counts());
          if (target.unexpected(row.id(), monitor).isEmpty()) {
            findings.removed(row.id(), kind);
          }
        });
  }

  private static String read(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }

  private UncheckedIOException failed(IOException e) {
    return new UncheckedIOException(
        "what is unexpected cannot be kept in %s (verification.dir): %s".formatted(file, e), e);
  }

  @Override
  public void close() {
    try {
      if (out != null) {
        out.close();
      }
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
