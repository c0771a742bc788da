package io.indexview.kvstore.value;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/** JSON objects in UTF-8, each one whole value. */
final class JsonValues implements ValueDecoder {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private final JsonFields fields;

  JsonValues(Schema schema) {
    this.fields = new JsonFields(schema);
  }

  @Override
  public GenericRecord decode(byte[] value) throws UndecodableException {
    return fields.record(parse(Utf8Text.of(value)));
  }

  private static JsonNode parse(String text) throws UndecodableException {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      // Jackson's own message quotes the value.
      throw new UndecodableException(
          "the text of %d characters is no JSON, or names a member twice, at line %d, column %d"
              .formatted(text.length(), line(e), column(e)));
    } catch (NumberFormatException e) {
      // Thrown as it is for exponents beyond an int's, with the number in its message.
      throw new UndecodableException(
          "the text of %d characters holds a number with too large an exponent"
              .formatted(text.length()));
    }
  }

  private static int line(JsonProcessingException e) {
    return e.getLocation() == null ? 1 : e.getLocation().getLineNr();
  }

  private static int column(JsonProcessingException e) {
    return e.getLocation() == null ? 1 : e.getLocation().getColumnNr();
  }
}
