package io.indexview.local;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** The directory that one stack keeps everything in, locked against other stacks. */
public final class DataDirectory implements AutoCloseable {
  private static final String LOCK_FILE = "lock";

  /** What a full disk must at least hold for the parts to start: broker segments, KV store log. */
  private static final long MINIMUM_FREE_BYTES = 128L << 20;

  private final Path root;
  private final boolean temporary;
  private final FileChannel lockChannel;

  private DataDirectory(Path root, boolean temporary, FileChannel lockChannel) {
    this.root = root;
    this.temporary = temporary;
    this.lockChannel = lockChannel;
  }

  /**
   * Creates the directory where needed and locks it.
   *
   * @param wanted empty for a temporary directory that {@link #close} removes
   * @throws StackException if it cannot be used; says why
   */
  static DataDirectory open(Optional<Path> wanted) {
    Path root = wanted.orElseGet(DataDirectory::createTemporary);
    try {
      createOwn(root);
      FileChannel channel = lock(root);
      DataDirectory directory = new DataDirectory(root, wanted.isEmpty(), channel);
      directory.checkSpace();
      return directory;
    } catch (AccessDeniedException e) {
      throw unusable(root, "is not writable by user " + System.getProperty("user.name"), e);
    } catch (IOException e) {
      throw unusable(root, "cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * Creates a directory that its user alone may enter, as everything that a stack keeps lies in
   * clear; one that is there stays as it is.
   *
   * @throws IOException if it is not there, and cannot be created
   */
  public static void createOwn(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    if (Files.isDirectory(absolute)) {
      return;
    }
    if (absolute.getParent() != null) {
      Files.createDirectories(absolute.getParent());
    }
    boolean hasModes = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] own = {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };
    Files.createDirectories(absolute, hasModes ? own : new FileAttribute<?>[0]);
  }

  private static Path createTemporary() {
    try {
      return Files.createTempDirectory("indexview-");
    } catch (IOException e) {
      throw unusable(
          Path.of(System.getProperty("java.io.tmpdir")), "cannot hold a temporary directory", e);
    }
  }

  private static FileChannel lock(Path root) throws IOException {
    FileChannel channel =
        FileChannel.open(
            root.resolve(LOCK_FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw lockedBy(root, "process " + read(channel).strip(), null);
      }
      channel.truncate(0);
      channel.write(utf8(ProcessHandle.current().pid() + "\n"), 0);
      channel.force(true);
      return channel;
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw lockedBy(root, "another stack of this process", e);
    } catch (IOException | StackException e) {
      channel.close();
      throw e;
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(32);
    channel.read(bytes, 0);
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
  }

  private static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private void checkSpace() throws IOException {
    Optional<String> shortage = shortage();
    if (shortage.isPresent()) {
      close();
      throw unusable(root, shortage.get(), null);
    }
  }

  /** What is missing on the disk, if parts cannot work with what is left. */
  Optional<String> shortage() throws IOException {
    long free = Files.getFileStore(root).getUsableSpace();
    return free >= MINIMUM_FREE_BYTES
        ? Optional.empty()
        : Optional.of(
            "has %d MiB left on its disk, %d MiB are needed"
                .formatted(free >> 20, MINIMUM_FREE_BYTES >> 20));
  }

  private static StackException lockedBy(Path root, String owner, Throwable cause) {
    return new StackException(
        "data directory %s is in use by %s: stop that one, or choose another directory"
            .formatted(root, owner),
        cause);
  }

  private static StackException unusable(Path root, String why, Throwable cause) {
    return new StackException(
        "data directory %s %s: choose another directory, or make room there".formatted(root, why),
        cause);
  }

  Path root() {
    return root;
  }

  /** The subdirectory of a part; created. */
  Path of(String name) {
    Path directory = root.resolve(name);
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw unusable(directory, "cannot be created", e);
    }
  }

  /** Unlocks; removes a temporary directory. */
  @Override
  public void close() {
    try (lockChannel) {
      if (temporary) {
        MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException e) {
      throw unusable(root, "cannot be closed", e);
    }
  }
}
