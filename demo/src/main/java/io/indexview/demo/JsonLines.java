package io.indexview.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import tech.allegro.schema.json2avro.converter.JsonAvroConverter;

/** Reads newline-delimited JSON objects, plain or gzipped, as records of an Avro schema. */
final class JsonLines implements AutoCloseable {
  /** One record: as JSON, for its key, and as Avro. */
  record Line(JsonNode json, GenericRecord avro) {}

  private static final int GZIP_MAGIC = 0x1f;

  private final String name;
  private final Schema schema;
  private final BufferedReader reader;
  private final ObjectMapper json = new ObjectMapper();
  private final JsonAvroConverter converter = new JsonAvroConverter();
  private long number;

  /**
   * Starts reading.
   *
   * @param name what messages call the input
   * @param input closed with this
   */
  JsonLines(String name, InputStream input, Schema schema) throws IOException {
    this.name = name;
    this.schema = schema;
    PushbackInputStream peeked = new PushbackInputStream(input, 1);
    int first = peeked.read();
    if (first >= 0) {
      peeked.unread(first);
    }
    InputStream plain = first == GZIP_MAGIC ? new GZIPInputStream(peeked) : peeked;
    this.reader = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8));
  }

  /**
   * The next record, or null at the end. Empty lines are passed over.
   *
   * @throws InputException if a line is no JSON object or does not fit the schema
   */
  Line next() throws IOException {
    String text = reader.readLine();
    number++;
    while (text != null && text.isBlank()) {
      text = reader.readLine();
      number++;
    }
    return text == null ? null : parse(text);
  }

  /** Where the last record stood, for messages. */
  String position() {
    return name + ":" + number;
  }

  private Line parse(String text) {
    JsonNode node;
    try {
      node = json.readTree(text);
    } catch (JsonProcessingException e) {
      throw new InputException(position() + ": no JSON: " + e.getOriginalMessage(), e);
    }
    if (!node.isObject()) {
      throw new InputException(position() + ": each line must be one JSON object", null);
    }
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return new Line(node, converter.convertToGenericDataRecord(bytes, schema));
    } catch (AvroRuntimeException e) {
      throw new InputException(
          "%s: does not fit the schema %s: %s"
              .formatted(position(), schema.getFullName(), e.getMessage()),
          e);
    }
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
