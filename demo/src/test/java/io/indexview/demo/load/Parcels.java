package io.indexview.demo.load;

import io.indexview.client.write.Writer;
import io.indexview.kvstore.KvKey;
import io.indexview.local.pipeline.RecordSetSpec;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.ViewGeneration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** A record set whose record schema changes, and the parcels that were written with each. */
final class Parcels {
  static final String NAME = "parcels";
  static final Schema FIRST = fields().requiredString("day").endRecord();

  /** With one more field, which has a default. */
  static final Schema WITH_REGION =
      fields()
          .requiredString("day")
          .name("region")
          .type()
          .stringType()
          .stringDefault("home")
          .endRecord();

  /** Without a field that has none. */
  static final Schema WITHOUT_DAY =
      fields().name("region").type().stringType().stringDefault("home").endRecord();

  private static final List<String> PREFIX = List.of("Shop", NAME);

  private final Shop shop;
  private final Map<KvKey, GenericRecord> written = new HashMap<>();

  Parcels(Shop shop) {
    this.shop = shop;
  }

  private static SchemaBuilder.FieldAssembler<Schema> fields() {
    return SchemaBuilder.record("Parcel")
        .namespace("io.indexview.load")
        .fields()
        .requiredString("customer");
  }

  static RecordSetSpec spec(Schema schema) {
    return new RecordSetSpec(NAME, PREFIX, schema);
  }

  /** Writes so many parcels, the first of them anew if they are there. */
  void write(Schema schema, int from, int to) {
    try (Writer writer = shop.writer(spec(schema))) {
      for (int number = from; number < to; number++) {
        KvKey key = new KvKey(List.of("Shop", NAME, Integer.toString(number)), List.of());
        GenericRecord parcel = parcel(schema, number);
        writer.put(key, parcel);
        written.put(key, parcel);
      }
      writer.flush();
    }
  }

  private GenericRecord parcel(Schema schema, int number) {
    GenericRecord parcel = new GenericData.Record(schema);
    Map.of(
            "customer", "customer-" + (number + written.size()) % 7,
            "day", "2026-01-0" + (1 + (number + written.size()) % 5),
            "region", "region-" + number % 3)
        .forEach(
            (field, value) -> {
              if (schema.getField(field) != null) {
                parcel.put(field, value);
              }
            });
    return parcel;
  }

  /** Compares a view with what was written: a parcel that lacks a field of it has no rows. */
  Verification verify(String view) {
    ViewGeneration generation = shop.serving(view);
    Iterator<PrimaryRecord> parcels =
        written.entrySet().stream()
            .flatMap(
                parcel ->
                    read(parcel.getValue(), generation)
                        .map(record -> new PrimaryRecord(parcel.getKey().toString(), record))
                        .stream())
            .iterator();
    return ViewVerifier.verify(generation, parcels, new KvRows(shop.store(), generation), Set.of());
  }

  /** The parcel as the view sees it; what the view does not look at may be anything. */
  private static Optional<GenericRecord> read(GenericRecord parcel, ViewGeneration generation) {
    GenericRecord read = new GenericData.Record(generation.recordSet().schema());
    for (Schema.Field field : read.getSchema().getFields()) {
      if (parcel.hasField(field.name())) {
        read.put(field.pos(), parcel.get(field.name()));
      } else if (field.hasDefaultValue()) {
        read.put(field.pos(), GenericData.get().getDefaultValue(field));
      } else if (generation.fieldsRead().contains(field.name())) {
        return Optional.empty();
      }
    }
    return Optional.of(read);
  }
}
