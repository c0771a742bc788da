package io.indexview.verification.live;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

/**
 * Files that a join spreads rows over, in a directory of their own. They are written from the
 * start, or from where they were kept, and may be read meanwhile. One thread may use a file at a
 * time.
 */
final class RowFiles implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 << 10;

  private final Path directory;
  private final FileOutputStream[] unbuffered;
  private final OutputStream[] files;

  /**
   * @param directory where to make the files; removed with them
   */
  RowFiles(Path directory, int number) {
    this(directory, Collections.nCopies(number, 0L));
  }

  /**
   * @param directory where the files are, or are made; removed with them
   * @param lengths what they hold that counts, in bytes; the rest is cut off
   */
  RowFiles(Path directory, List<Long> lengths) {
    this.directory = directory;
    this.unbuffered = new FileOutputStream[lengths.size()];
    this.files = new OutputStream[lengths.size()];
    try {
      Files.createDirectories(directory);
      for (int i = 0; i < files.length; i++) {
        unbuffered[i] = new FileOutputStream(file(i).toFile(), true);
        unbuffered[i].getChannel().truncate(lengths.get(i));
        files[i] = new BufferedOutputStream(unbuffered[i], BUFFER_BYTES);
      }
    } catch (IOException e) {
      UncheckedIOException failure = failed(e);
      try {
        close();
      } catch (UncheckedIOException left) {
        failure.addSuppressed(left);
      }
      throw failure;
    }
  }

  private Path file(int number) {
    return file(directory, number);
  }

  private static Path file(Path directory, int number) {
    return directory.resolve("rows-" + number);
  }

  /** Whether the files of a directory are at least as long. */
  static boolean areIn(Path directory, List<Long> lengths) {
    for (int i = 0; i < lengths.size(); i++) {
      if (file(directory, i).toFile().length() < lengths.get(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Hands what was written to the system, so that it is there whatever becomes of the process.
   *
   * @param sync whatever becomes of the system, too
   * @return how long the file is
   */
  long keep(int number, boolean sync) {
    try {
      files[number].flush();
      if (sync) {
        unbuffered[number].getFD().sync();
      }
      return unbuffered[number].getChannel().size();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** What to throw where writing or reading fails. */
  UncheckedIOException failed(IOException e) {
    return new UncheckedIOException(
        "rows cannot be kept in %s: %s; has the disk space?".formatted(directory, e), e);
  }

  OutputStream out(int number) {
    return files[number];
  }

  /** All that was written so far; the caller closes it. */
  InputStream in(int number) throws IOException {
    files[number].flush();
    return Files.newInputStream(file(number));
  }

  /** Closes the files, and leaves them there. */
  void leave() {
    for (int i = 0; i < files.length; i++) {
      try {
        if (files[i] != null) {
          files[i].close();
        } else if (unbuffered[i] != null) {
          unbuffered[i].close();
        }
      } catch (IOException e) {
        // What the disk did not take is of no use to anybody.
      }
    }
  }

  /** Removes the files. */
  @Override
  public void close() {
    leave();
    IOException failure = null;
    for (int i = 0; i < files.length; i++) {
      failure = delete(file(i), failure);
    }
    failure = delete(directory, failure);
    if (failure != null) {
      throw new UncheckedIOException("files of a verification are left in " + directory, failure);
    }
  }

  private static IOException delete(Path path, IOException before) {
    try {
      Files.deleteIfExists(path);
      return before;
    } catch (IOException e) {
      return e;
    }
  }
}
