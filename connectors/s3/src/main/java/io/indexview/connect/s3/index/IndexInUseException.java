package io.indexview.connect.s3.index;

import java.nio.file.Path;

/** Another task has the index open; it may be about to close it. */
final class IndexInUseException extends RuntimeException {
  IndexInUseException(Path directory, Throwable cause) {
    super(
        "index %s is in use by another process or task; give each worker its own index.dir"
            .formatted(directory),
        cause);
  }
}
