package io.indexview.distribution;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.local.LocalStack;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Puts and deletes records and files, about fifty a second, until it is closed. */
final class Load implements AutoCloseable {
  static final String BUCKET = "documents";

  static final Map<String, String> SCHEMAS =
      Map.of(
          "people",
          """
          {"type": "record", "name": "Person", "fields": [
            {"name": "org", "type": "string"}, {"name": "name", "type": "string"}]}
          """,
          "orders",
          """
          {"type": "record", "name": "Order", "fields": [
            {"name": "customer", "type": "string"}, {"name": "amount", "type": "long"}]}
          """);

  private static final int KEYS = 300;
  private static final int GROUPS = 20;
  private static final long INTERVAL_MS = Long.getLong("load.interval", 60);

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final SplittableRandom random = new SplittableRandom();
  private final AtomicLong changes = new AtomicLong();
  private final KvStore store;
  private final S3Client s3;
  private final ScheduledFuture<?> running;

  private Load(LocalStack stack) {
    this.store = stack.openKvStore();
    this.s3 = stack.openS3();
    this.running =
        thread.scheduleWithFixedDelay(this::change, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  static Load start(LocalStack stack) {
    return new Load(stack);
  }

  /** So far, of each record set. */
  long changes() {
    return changes.get();
  }

  /** One change of each record set. */
  private void change() {
    String id = Integer.toString(random.nextInt(KEYS));
    boolean isDelete = random.nextInt(4) == 0;
    String group = "group-" + random.nextInt(GROUPS);
    if (isDelete) {
      store.delete(key("people", id));
      store.delete(key("orders", id));
      s3.deleteObject(request -> request.bucket(BUCKET).key(id));
    } else {
      GenericRecord person = new GenericData.Record(schema("people"));
      person.put("org", group);
      person.put("name", "name of " + id + " at " + changes);
      store.put(key("people", id), encode(person, false));
      GenericRecord order = new GenericData.Record(schema("orders"));
      order.put("customer", group);
      order.put("amount", random.nextLong());
      store.put(key("orders", id), encode(order, true));
      String content = "x".repeat(random.nextInt(GROUPS));
      s3.putObject(request -> request.bucket(BUCKET).key(id), RequestBody.fromString(content));
    }
    changes.incrementAndGet();
  }

  private static KvKey key(String recordSet, String id) {
    return new KvKey(List.of("Corporate", recordSet, id), List.of());
  }

  /**
   * Under which name the records of a record set are written.
   *
   * @param recordSet may have been moved, and ends with a digit then
   */
  static String written(String recordSet) {
    return recordSet.replaceFirst("[0-9]$", "");
  }

  static KvKey prefix(String recordSet) {
    return new KvKey(List.of("Corporate", recordSet), List.of());
  }

  private static Schema schema(String recordSet) {
    return new Schema.Parser().parse(SCHEMAS.get(recordSet));
  }

  private static byte[] encode(GenericRecord record, boolean isJson) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      Encoder encoder =
          isJson
              ? EncoderFactory.get().jsonEncoder(record.getSchema(), out)
              : EncoderFactory.get().binaryEncoder(out, null);
      new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
      encoder.flush();
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A stored record of a record set, as the sources read it. */
  static PrimaryRecord primaryRecord(String recordSet, KvRecord record) {
    Schema schema = schema(recordSet);
    try {
      GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
      DecoderFactory decoders = DecoderFactory.get();
      return new PrimaryRecord(
          record.key().toString(),
          reader.read(
              null,
              recordSet.equals("orders")
                  ? decoders.jsonDecoder(schema, new String(record.value(), StandardCharsets.UTF_8))
                  : decoders.binaryDecoder(record.value(), null)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bucket's files, as a listing tells them. */
  static Iterator<PrimaryRecord> files(LocalStack stack) {
    try (S3Client s3 = stack.openS3()) {
      return s3.listObjectsV2Paginator(request -> request.bucket(BUCKET)).contents().stream()
          .map(
              object ->
                  new PrimaryRecord(
                      BUCKET + "/" + object.key(),
                      new GenericRecordBuilder(ControlSchemas.FILE_RECORD)
                          .set("objectKey", object.key())
                          .set("bucketName", BUCKET)
                          .set("size", object.size())
                          .build()))
          .toList()
          .iterator();
    }
  }

  /** Ends it; a change that failed fails here. */
  @Override
  public void close() throws Exception {
    running.cancel(false);
    thread.shutdown();
    if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the load does not end");
    }
    store.close();
    s3.close();
    if (!running.isCancelled()) {
      running.get();
    }
  }
}
