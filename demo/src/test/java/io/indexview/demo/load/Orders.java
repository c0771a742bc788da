package io.indexview.demo.load;

import com.google.common.collect.Iterators;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.local.pipeline.RecordSetSpec;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/** A record set made for load: any number of orders that change all the time. */
final class Orders {
  static final String NAME = "orders";
  static final KvKey PREFIX = new KvKey(List.of("Shop", "orders"), List.of());
  static final Schema SCHEMA =
      SchemaBuilder.record("Order")
          .namespace("io.indexview.load")
          .fields()
          .requiredString("customer")
          .requiredString("day")
          .requiredLong("amount")
          .requiredLong("stamp")
          .requiredString("note")
          .endRecord();

  /** Amounts are below it. */
  static final long AMOUNTS = 1_000_000;

  private static final int CUSTOMERS = 5_000;
  private static final int DAYS = 365;
  private static final String NOTE = "a text of the length that such texts have in applications";

  private Orders() {}

  static RecordSetSpec spec() {
    return new RecordSetSpec(NAME, PREFIX.major(), SCHEMA);
  }

  static KvKey key(int number) {
    return new KvKey(List.of("Shop", "orders", Integer.toString(number)), List.of());
  }

  /** An order that is written now. */
  static GenericRecord random(RandomGenerator random) {
    GenericRecord order = new GenericData.Record(SCHEMA);
    order.put("customer", "customer-" + random.nextInt(CUSTOMERS));
    order.put("day", LocalDate.of(2026, 1, 1).plusDays(random.nextInt(DAYS)).toString());
    order.put("amount", random.nextLong(AMOUNTS));
    order.put("stamp", System.nanoTime());
    order.put("note", NOTE);
    return order;
  }

  /**
   * Compares a view with the orders in the store, both ways.
   *
   * @param elsewhere orders that are not in the store
   */
  static Verification verify(KvStore store, ViewGeneration generation, PrimaryRecord... elsewhere) {
    KvScan scan = KvScan.under(PREFIX);
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      return ViewVerifier.verify(
          generation,
          Iterators.concat(new Stored(records), Iterators.forArray(elsewhere)),
          new KvRows(store, generation),
          Set.of());
    }
  }

  private record Stored(KvIterator<KvRecord> records) implements Iterator<PrimaryRecord> {
    @Override
    public boolean hasNext() {
      return records.hasNext();
    }

    @Override
    public PrimaryRecord next() {
      KvRecord record = records.next();
      return new PrimaryRecord(record.key().toString(), decode(record.value()));
    }

    private static GenericRecord decode(byte[] value) {
      try {
        return new GenericDatumReader<GenericRecord>(SCHEMA)
            .read(null, DecoderFactory.get().binaryDecoder(value, null));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
