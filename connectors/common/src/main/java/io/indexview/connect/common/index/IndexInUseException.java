package io.indexview.connect.common.index;

import java.nio.file.Path;

/** Another task has the index open; it may be about to close it. */
public final class IndexInUseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  IndexInUseException(Path directory, Throwable cause) {
    super(
        "index %s is in use by another process or task; give each worker its own index.dir"
            .formatted(directory),
        cause);
  }
}
