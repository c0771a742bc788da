package io.indexview.client.files;

import java.util.List;

/**
 * Some of the files that were found; may be empty although more follow.
 *
 * @param next token of the next page; null after the last one
 */
public record FilePage(List<FoundFile> files, String next) {
  public FilePage {
    files = List.copyOf(files);
  }
}
