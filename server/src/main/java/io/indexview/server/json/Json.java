package io.indexview.server.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.JsonValues;
import org.apache.avro.generic.GenericRecord;

/** How the server reads and writes JSON. */
public final class Json {
  /** Strict: what is there twice or not known is refused. Thread-safe. */
  public static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          // An answer that fails in its middle is no JSON, rather than a shorter one.
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private Json() {}

  /** A record of Avro, as requests may hold it. */
  public static JsonNode of(GenericRecord record) {
    return JsonValues.toJson(PlainValues.of(record.getSchema(), record));
  }

  /** Reads JSON that a part of Indexview has written. */
  public static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON, although Indexview has written it", e);
    }
  }
}
