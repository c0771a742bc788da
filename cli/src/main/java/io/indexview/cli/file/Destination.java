package io.indexview.cli.file;

import io.indexview.cli.api.CommandException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;

/**
 * Where a fetched file goes: a file, which appears only when it is complete, or standard output.
 */
final class Destination {
  private static final Path STANDARD_OUTPUT = Path.of("-");
  private static final Set<String> NO_NAMES = Set.of("", ".", "..");

  private final Path file;

  private Destination(Path file) {
    this.file = file;
  }

  /**
   * Where to put an object.
   *
   * @param target null: by the last part of the object key, in the current directory
   * @param replace whether a file may be there
   * @throws CommandException.Usage if it cannot go there
   */
  static Destination of(Path target, String objectKey, boolean replace) {
    Path file = target == null ? named(objectKey) : target;
    if (file.equals(STANDARD_OUTPUT)) {
      return new Destination(null);
    }
    if (Files.isDirectory(file)) {
      throw new CommandException.Usage(file + " is a directory; name a file with --to");
    }
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new CommandException.Usage(
          "there is no directory %s; create it, or use another --to".formatted(directory));
    }
    if (!replace && Files.exists(file)) {
      throw new CommandException.Usage(file + " is there already; use --force, or another --to");
    }
    return new Destination(file);
  }

  /** Never outside the current directory, whatever the object key holds. */
  private static Path named(String objectKey) {
    String name = objectKey.substring(objectKey.lastIndexOf('/') + 1);
    try {
      Path file = Path.of(name);
      if (!NO_NAMES.contains(name) && file.getNameCount() == 1 && !file.isAbsolute()) {
        return file;
      }
    } catch (InvalidPathException e) {
      throw new CommandException.Usage("\"%s\" is no file name here; use --to".formatted(name), e);
    }
    throw new CommandException.Usage("\"%s\" is no file name here; use --to".formatted(name));
  }

  boolean isStandardOutput() {
    return file == null;
  }

  /** Takes the content; how many bytes it had. */
  long take(InputStream content) throws IOException {
    if (file == null) {
      try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
        return content.transferTo(out);
      }
    }
    Path directory = file.toAbsolutePath().getParent();
    Path part = Files.createTempFile(directory, file.getFileName().toString(), ".part");
    try {
      long bytes = Files.copy(content, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      return bytes;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  @Override
  public String toString() {
    return file == null ? "standard output" : file.toString();
  }
}
