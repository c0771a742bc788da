package io.indexview.server.record;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.write.PublishFailedException;
import io.indexview.client.write.Written;

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
}
