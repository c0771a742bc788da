package io.indexview.client.read;

import io.indexview.client.page.PageTokens;
import java.util.Objects;

/**
 * Bounds of a reader, and its page tokens.
 *
 * @param maxLimit rows of a page that a query may ask for
 * @param sortLimit rows that a reader sorts for one query which the target cannot answer in order
 */
public record ReaderConfig(PageTokens pageTokens, int maxLimit, int sortLimit) {
  public static final int DEFAULT_MAX_LIMIT = 1_000;
  public static final int DEFAULT_SORT_LIMIT = 10_000;

  public ReaderConfig {
    Objects.requireNonNull(pageTokens, "pageTokens");
    if (maxLimit < 1 || sortLimit < 1) {
      throw new IllegalArgumentException(
          "maxLimit %d, sortLimit %d: use 1 or more".formatted(maxLimit, sortLimit));
    }
  }

  public static ReaderConfig of(PageTokens pageTokens) {
    return new ReaderConfig(pageTokens, DEFAULT_MAX_LIMIT, DEFAULT_SORT_LIMIT);
  }
}
