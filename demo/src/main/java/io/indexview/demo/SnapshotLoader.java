package io.indexview.demo;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Makes a record set in the KV store equal to a snapshot, as an application would: with the
 * creates, updates and deletes that lead there. Holds the keys of one snapshot in memory.
 */
final class SnapshotLoader {
  /** What a snapshot changed. */
  record Changes(long created, long updated, long deleted, long unchanged) {
    long records() {
      return created + updated + unchanged;
    }
  }

  private final KvStore store;
  private final KeyTemplate template;
  private final GenericDatumWriter<GenericRecord> writer;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
  private BinaryEncoder encoder;

  private long created;
  private long updated;
  private long unchanged;

  SnapshotLoader(KvStore store, KeyTemplate template, Schema schema) {
    this.store = store;
    this.template = template;
    this.writer = new GenericDatumWriter<>(schema);
  }

  /**
   * Applies one snapshot.
   *
   * @throws InputException if a record cannot be read, has no key, or has the key of another one;
   *     what was written before it stays written
   */
  Changes apply(JsonLines snapshot) throws IOException {
    created = 0;
    updated = 0;
    unchanged = 0;
    Set<KvKey> seen =
        forEach(snapshot, template, (key, record) -> write(key, encode(record.avro())));
    return new Changes(created, updated, deleteAllBut(seen), unchanged);
  }

  /**
   * Reads a snapshot to its end, and writes nothing.
   *
   * @throws InputException as {@link #apply}
   */
  static void check(JsonLines snapshot, KeyTemplate template) throws IOException {
    forEach(snapshot, template, (key, record) -> {});
  }

  private interface RecordTask {
    void run(KvKey key, JsonLines.Line record) throws IOException;
  }

  /** The keys that there were. */
  private static Set<KvKey> forEach(JsonLines snapshot, KeyTemplate template, RecordTask task)
      throws IOException {
    Set<KvKey> seen = new HashSet<>();
    for (JsonLines.Line line = snapshot.next(); line != null; line = snapshot.next()) {
      KvKey key = keyOf(line, snapshot, template);
      if (!seen.add(key)) {
        throw new InputException(
            "%s: a second record with the key %s; the key %s must tell records apart"
                .formatted(snapshot.position(), key, template),
            null);
      }
      task.run(key, line);
    }
    return seen;
  }

  private static KvKey keyOf(JsonLines.Line line, JsonLines snapshot, KeyTemplate template) {
    try {
      return new KvKey(template.major(line.json()), template.minor(line.json()));
    } catch (IllegalArgumentException e) {
      throw new InputException(snapshot.position() + ": " + e.getMessage(), e);
    }
  }

  private byte[] encode(GenericRecord value) throws IOException {
    bytes.reset();
    encoder = EncoderFactory.get().binaryEncoder(bytes, encoder);
    writer.write(value, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }

  private void write(KvKey key, byte[] value) {
    Optional<KvRecord> present = store.get(key, KvConsistency.ABSOLUTE);
    if (present.isPresent() && Arrays.equals(present.get().value(), value)) {
      unchanged++;
      return;
    }
    store.put(key, value);
    if (present.isPresent()) {
      updated++;
    } else {
      created++;
    }
  }

  private long deleteAllBut(Set<KvKey> kept) {
    long deleted = 0;
    KvScan all = KvScan.under(new KvKey(template.prefix(), List.of()));
    try (KvIterator<KvKey> keys = store.storeKeysIterator(all)) {
      while (keys.hasNext()) {
        KvKey key = keys.next();
        if (!kept.contains(key) && store.delete(key).isPresent()) {
          deleted++;
        }
      }
    }
    return deleted;
  }
}
