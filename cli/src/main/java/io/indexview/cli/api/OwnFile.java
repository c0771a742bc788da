package io.indexview.cli.api;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that only their user may read. */
public final class OwnFile {
  private OwnFile() {}

  /** Replaces a file as a whole. */
  public static void write(Path file, byte[] content) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Path complete = Files.createTempFile(directory, file.getFileName().toString(), null, mode());
    try {
      Files.write(complete, content);
      Files.move(
          complete, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(complete);
    }
  }

  private static FileAttribute<?>[] mode() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}
