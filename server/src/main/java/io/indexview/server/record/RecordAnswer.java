package io.indexview.server.record;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.write.Written;
import io.indexview.client.write.Written.PublishFailedException;
import io.indexview.kvstore.KvKey;
import java.util.List;
import java.util.Optional;

/**
 * A primary record in an answer.
 *
 * @param version that the store gave it
 */
public record RecordAnswer(String key, String version, JsonNode value) {

  /**
   * A write in an answer.
   *
   * @param version that the store gave it; of a delete: the version that was removed
   * @param published whether Kafka has the change; if not, views follow with the next scan
   * @param token for reads that are to include the write; null if it is not published
   * @param warning why it is not published
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Write(String key, String version, boolean published, String token, String warning) {
    static Write of(Written written) {
      String key = written.key().toString();
      String version = written.version().toString();
      try {
        return new Write(key, version, true, written.token().toString(), null);
      } catch (PublishFailedException e) {
        return new Write(key, version, false, null, e.getMessage());
      }
    }
  }

  /**
   * A page of records in an answer, in key order.
   *
   * @param next after which key the next page begins; null: nothing is left
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Page(List<Listed> records, String next) {}

  /**
   * One of several records in an answer.
   *
   * @param value null if it cannot be read
   * @param problem why not
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Listed(String key, String version, JsonNode value, String problem) {}

  /**
   * What was removed, in an answer.
   *
   * @param atomic whether that is all there was, and went in one transaction
   * @param more whether records are left
   */
  public record Removal(List<Write> removed, boolean atomic, boolean more) {}

  /** What came of operations, in their order. */
  public record Results(List<Result> results) {}

  /**
   * What came of one operation.
   *
   * @param changed not so for a delete that found nothing; then there is nothing else to tell
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Result(
      String key,
      boolean changed,
      String version,
      Boolean published,
      String token,
      String warning) {
    static Result of(KvKey key, Optional<Written> written) {
      if (written.isEmpty()) {
        return new Result(key.toString(), false, null, null, null, null);
      }
      Write write = Write.of(written.get());
      return new Result(
          write.key(), true, write.version(), write.published(), write.token(), write.warning());
    }
  }
}
