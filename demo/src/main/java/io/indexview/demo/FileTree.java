package io.indexview.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A directory tree as the uploads of some users: each file below the n-th subdirectory belongs to
 * user n, and its object key is {@code USER<n>_<path>}.
 */
final class FileTree {
  /** One file and its object key. */
  record Upload(String objectKey, Path file) {}

  /** How the source connector reads user and file out of an object key. */
  static final String KEY_PATTERN = "(?<uploadUser>USER\\d+)_(?<fileId>.+)";

  private static final Set<String> SKIPPED = Set.of("target", "node_modules");
  private static final int MAX_FILES = 20_000;

  private FileTree() {}

  /**
   * The regular, readable files below a directory, build output and hidden directories left out.
   *
   * @throws InputException if the directory cannot be read, or holds no file or too many
   */
  static List<Upload> of(Path root) {
    List<Path> files = walk(root);
    if (files.isEmpty()) {
      throw new InputException(
          "--files %s: no file is in there; name a directory with files".formatted(root), null);
    }
    List<Path> owners = files.stream().map(file -> owner(root, file)).distinct().toList();
    return files.stream()
        .map(file -> new Upload(objectKey(root, file, owners.indexOf(owner(root, file))), file))
        .toList();
  }

  private static Path owner(Path root, Path file) {
    Path relative = root.relativize(file);
    return relative.getNameCount() > 1 ? relative.getName(0) : Path.of("");
  }

  private static String objectKey(Path root, Path file, int owner) {
    String path = root.relativize(file).toString().replace('\\', '/');
    return "USER%03d_%s".formatted(owner + 1, path);
  }

  private static List<Path> walk(Path root) {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes is) {
              return !directory.equals(root) && isSkipped(directory)
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes is) {
              if (is.isRegularFile() && Files.isReadable(file)) {
                files.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new InputException("--files %s: cannot be read: %s".formatted(root, e), e);
    }
    if (files.size() > MAX_FILES) {
      throw new InputException(
          "--files %s: %,d files; give a directory with at most %,d"
              .formatted(root, files.size(), MAX_FILES),
          null);
    }
    files.sort(null);
    return files;
  }

  private static boolean isSkipped(Path directory) {
    String name = directory.getFileName().toString();
    return name.startsWith(".") || SKIPPED.contains(name);
  }
}
