package io.indexview.client.files;

import io.indexview.schemas.control.ViewState;
import java.util.List;
import java.util.Objects;

/**
 * Some of the files that were found.
 *
 * @param next token of the next page; null after the last one
 * @param state of the view while they were read; other than READY only if that was asked for
 */
public record FilePage(List<FoundFile> files, String next, ViewState.State state) {
  public FilePage {
    files = List.copyOf(files);
    Objects.requireNonNull(state, "state");
  }
}
