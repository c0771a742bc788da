package io.indexview.client.page;

import io.indexview.client.page.PageTokens.Digests;
import io.indexview.client.page.PageTokens.InvalidPageTokenException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Where the next page starts.
 *
 * @param source what is read, as in {@code view people-by-org}
 * @param generation of what is read
 * @param digest of the query
 * @param after names the last row that was seen, in texts and numbers; these may be read back as
 *     another {@link Number}
 */
public record PagePosition(
    String source, int generation, String digest, Map<String, Object> after) {
  private static final String ALGORITHM = "SHA-256";

  public PagePosition {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(digest, "digest");
    after = Collections.unmodifiableMap(new LinkedHashMap<>(after));
  }

  /**
   * A position in the answer to a query.
   *
   * @param query the same text for the same query, and another for any other
   */
  public static PagePosition of(
      String source, int generation, String query, Map<String, Object> after) {
    return new PagePosition(source, generation, digest(query), after);
  }

  private static String digest(String query) {
    byte[] digest =
        Digests.ofPlatform(() -> MessageDigest.getInstance(ALGORITHM))
            .digest(query.getBytes(StandardCharsets.UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  /**
   * Refuses a position in something else.
   *
   * @throws InvalidPageTokenException if it is of another source
   */
  public void requireSource(String expected) {
    if (!source.equals(expected)) {
      throw new InvalidPageTokenException(
          "it is of %s, not of %s; repeat the query that gave it".formatted(source, expected));
    }
  }

  /**
   * Refuses a position in the answer to another query.
   *
   * @throws InvalidPageTokenException if it is of another query
   */
  public void requireQuery(String query) {
    if (!digest.equals(digest(query))) {
      throw new InvalidPageTokenException(
          "it is of another query; repeat the query that gave it, with nothing changed but the"
              + " limit");
    }
  }
}
