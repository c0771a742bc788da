package io.indexview.schemas.control;

import java.util.Objects;

/**
 * Which build of a definition is wanted.
 *
 * @param number raised by a rebuild, set back by a rollback; from 0
 */
public record BuildRequest(long number, BuildMode mode) {
  public static final BuildRequest FIRST = new BuildRequest(0, BuildMode.STATE);

  public BuildRequest {
    Objects.requireNonNull(mode, "mode");
  }
}
