package io.indexview.demo.load;

import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A record set on a flat topic that no source speaks for, and what was published on it. */
final class Invoices implements AutoCloseable {
  static final String NAME = "invoices";
  static final String TOPIC = "accounting.invoices";

  /** Of the wire format: a zero and the id of the schema. */
  private static final int PREFIX_BYTES = 5;

  private static final Schema SCHEMA =
      SchemaBuilder.record("Invoice")
          .namespace("io.indexview.load")
          .fields()
          .requiredString("customer")
          .endRecord();

  private final Shop shop;
  private final Producer<byte[], byte[]> producer;
  private final AvroSerializer<GenericRecord> serializer;
  private final Map<String, GenericRecord> published = new HashMap<>();
  private String topic = TOPIC;
  private Schema schema = SCHEMA;

  Invoices(Shop shop) {
    this.shop = shop;
    this.producer =
        new KafkaProducer<>(shop.kafka(), new ByteArraySerializer(), new ByteArraySerializer());
    this.serializer = new AvroSerializer<>(shop.registry(), false);
  }

  /** The configuration of an app that has the record set, too; its topic is there. */
  static Map<String, String> in(Map<String, String> config, Path directory) throws IOException {
    Map<String, Object> kafka = Map.of("bootstrap.servers", config.get("bootstrap.servers"));
    try (Admin admin = Admin.create(kafka)) {
      if (!KafkaAnswers.await(admin.listTopics().names()).contains(TOPIC)) {
        KafkaAnswers.await(admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all());
      }
    }
    Path schema = directory.resolve("invoice.avsc");
    Files.writeString(schema, SCHEMA.toString());
    Map<String, String> all = new LinkedHashMap<>(config);
    all.merge("record.sets", NAME, "%s,%s"::formatted);
    all.put("record.set.invoices.topic", TOPIC);
    all.put("record.set.invoices.format", "flat");
    all.put("record.set.invoices.complete", "topic");
    all.put("record.set.invoices.schema.file", schema.toString());
    return all;
  }

  private static String key(int number) {
    return "invoice-" + number;
  }

  void publish(int from, int to) {
    for (int number = from; number < to; number++) {
      GenericRecord invoice = new GenericData.Record(schema);
      invoice.put("customer", "customer-" + number % 7);
      byte[] key = key(number).getBytes(StandardCharsets.UTF_8);
      KafkaAnswers.await(
          producer.send(new ProducerRecord<>(topic, key, serializer.serialize(topic, invoice))));
      published.put(key(number), invoice);
    }
  }

  /** From now on they have another schema. */
  void evolve() {
    schema =
        SchemaBuilder.record(SCHEMA.getName())
            .namespace(SCHEMA.getNamespace())
            .fields()
            .requiredString("customer")
            .optionalString("note")
            .endRecord();
  }

  /**
   * Publishes one with a field that no view uses: an invoice within an invoice, and so on. Whoever
   * reads or skips it by recursion needs a frame of the stack for each level.
   */
  void publishNested(int number, int levels) {
    Schema nested =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Invoice", "namespace": "io.indexview.load", "fields": [
                  {"name": "customer", "type": "string"},
                  {"name": "part", "type": ["null", "Invoice"], "default": null}]}
                """);
    GenericRecord innermost = new GenericData.Record(nested);
    innermost.put("customer", "x");
    byte[] end = serializer.serialize(topic, innermost);
    // What lies around it: a text of one letter, and the second branch of the union.
    byte[] level = {2, 'x', 2};
    ByteBuffer value = ByteBuffer.allocate(end.length + levels * level.length);
    value.put(end, 0, PREFIX_BYTES);
    for (int i = 0; i < levels; i++) {
      value.put(level);
    }
    value.put(end, PREFIX_BYTES, end.length - PREFIX_BYTES);
    byte[] key = key(number).getBytes(StandardCharsets.UTF_8);
    KafkaAnswers.await(producer.send(new ProducerRecord<>(topic, key, value.array())));
  }

  /** From now on they are published there. */
  void moveTo(String newTopic) {
    topic = newTopic;
  }

  /** They are deleted, and nobody tells. */
  void forget(int from, int to) {
    for (int number = from; number < to; number++) {
      published.remove(key(number));
    }
  }

  Verification verify(String view) {
    ViewGeneration generation = shop.serving(view);
    return ViewVerifier.verify(
        generation,
        published.entrySet().stream()
            .map(invoice -> new PrimaryRecord(invoice.getKey(), invoice.getValue()))
            .iterator(),
        new KvRows(shop.store(), generation),
        Set.of());
  }

  @Override
  public void close() {
    producer.close();
  }
}
