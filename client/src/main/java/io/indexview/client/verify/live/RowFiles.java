package io.indexview.client.verify.live;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files that a join spreads rows over, in a directory of their own. They are written from the
 * start, and may be read meanwhile. One thread may use a file at a time.
 */
final class RowFiles implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 << 10;

  private final Path directory;
  private final OutputStream[] files;

  /**
   * @param directory where to make the files; removed with them
   */
  RowFiles(Path directory, int number) {
    this.directory = directory;
    this.files = new OutputStream[number];
    try {
      Files.createDirectories(directory);
      for (int i = 0; i < number; i++) {
        files[i] = new BufferedOutputStream(Files.newOutputStream(file(i)), BUFFER_BYTES);
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
    return directory.resolve("rows-" + number);
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

  /** Removes the files. */
  @Override
  public void close() {
    IOException failure = null;
    for (int i = 0; i < files.length; i++) {
      try {
        if (files[i] != null) {
          files[i].close();
        }
      } catch (IOException e) {
        // What the disk did not take is of no use to anybody; the file goes anyway.
      }
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
