package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.Samples;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** Random record schemas, views, records and primary keys. */
class DerivationPropertyTest {

  @Property(tries = 500)
  void givesTheRowsOfAPlainReading(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    RandomView random = new RandomView(seed);
    ViewGeneration generation = random.generation();
    CompiledView view = CompiledView.compile(generation, random.schema());
    GenericRecord record = random.record();
    String primaryKey = random.primaryKey();

    List<List<Object>> keys = new ArrayList<>();
    for (ViewRow row : view.rows(record, primaryKey)) {
      GenericRecord key = view.keyOf(row);
      List<Object> values = new ArrayList<>();
      for (ViewFields.KeyField field : generation.fields().key()) {
        values.add(field.type().normalise(key.get(field.name())));
      }
      keys.add(values);
      assertThat(key.get("_primaryKey")).hasToString(primaryKey);
    }

    assertThat(keys).isEqualTo(List.copyOf(plainReading(generation, record)));
  }

  /** The key values of the rows, worked out without any of the code under test but the types. */
  private static Set<List<Object>> plainReading(ViewGeneration generation, GenericRecord record) {
    Set<List<Object>> rows = new LinkedHashSet<>();
    boolean fansOut =
        generation.definition().key().stream().anyMatch(path -> path.startsWith("array"));
    Collection<?> array = (Collection<?>) record.get("array");
    Collection<?> elements =
        !fansOut || array == null || array.isEmpty() ? Arrays.asList((Object) null) : array;
    for (Object element : elements) {
      List<Object> row = new ArrayList<>();
      for (ViewFields.KeyField field : generation.fields().key()) {
        List<String> steps = List.of(field.path().split("\\.", 2));
        Object value = steps.get(0).equals("array") ? element : record.get(steps.get(0));
        if (steps.size() > 1 && value != null) {
          value = inside(value, steps.get(1));
        }
        row.add(field.type().normalise(value));
      }
      if (generation.definition().nulls() == ViewDefinition.Nulls.INDEX || !row.contains(null)) {
        rows.add(row);
      }
    }
    return rows;
  }

  private static Object inside(Object value, String name) {
    return value instanceof GenericRecord record
        ? record.get(name)
        : ((Map<?, ?>) value)
            .entrySet().stream()
                .filter(entry -> entry.getKey().toString().equals(name))
                .map(Map.Entry::getValue)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
  }

  @Property(tries = 300)
  void dependsOnTheRecordAlone(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    RandomView random = new RandomView(seed);
    ViewGeneration generation = random.generation();
    GenericRecord record = random.record();
    String primaryKey = random.primaryKey();
    CompiledView view = CompiledView.compile(generation, random.schema());
    List<ViewRow> rows = view.rows(record, primaryKey);

    var projection = RecordDecoder.projection(random.schema(), List.of(generation));
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, projection, id -> random.schema());
    ViewGeneration refrozen = ViewGeneration.fromJson(generation.toJson());
    CompiledView projected = CompiledView.compile(refrozen, projection);
    byte[] bytes = bytes(record);
    GenericRecord decoded = decoder.decodeForViews(framed(bytes));

    projected.rows(decoder.decodeForViews(framed(random.record())), "other");
    assertThat(projected.rows(decoded, primaryKey)).isEqualTo(rows);
    assertThat(view.rows(record, primaryKey)).isEqualTo(rows);
  }

  /** Whatever the bytes are: numbers may be longer than they have to be, and say too much. */
  @Property(tries = 300)
  void makesOfBytesTheRowsOfWhatAvroReads(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    RandomView random = new RandomView(seed);
    Random alterations = new Random(seed);
    ViewGeneration generation = random.generation();
    Schema projection = RecordDecoder.projection(random.schema(), List.of(generation));
    GenericDatumReader<GenericRecord> avro = new GenericDatumReader<>(random.schema(), projection);
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, projection, id -> random.schema());
    CompiledView view = CompiledView.compile(generation, projection);

    for (int i = 0; i < 20; i++) {
      byte[] bytes = altered(bytes(random.record()), alterations);

      assertThat(rows(view, decoded(decoder, bytes))).isEqualTo(rows(view, whole(avro, bytes)));
    }
  }

  /** Of two records that are most often the same but for a field. */
  @Property(tries = 300)
  void recordsThatAreSaidToHaveTheSameRowsHaveThem(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    RandomView random = new RandomView(seed);
    Random alterations = new Random(seed);
    ViewGeneration generation = random.generation();
    Schema projection = RecordDecoder.projection(random.schema(), List.of(generation));
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, projection, id -> random.schema());
    CompiledView view = CompiledView.compile(generation, projection);

    for (int i = 0; i < 20; i++) {
      GenericRecord record = random.record();
      GenericRecord before = decoder.decodeForViews(framed(record));
      List<Schema.Field> fields = random.schema().getFields();
      Schema.Field field = fields.get(alterations.nextInt(fields.size()));
      record.put(field.pos(), random.record().get(field.pos()));
      GenericRecord after = decoder.decodeForViews(framed(record));

      List<ViewRow> rows = rows(view, Optional.of(after));
      if (view.hasSameRows(before, after)) {
        assertThat(rows).isEqualTo(rows(view, Optional.of(before)));
      } else {
        assertThat(generation.fieldsRead()).contains(field.name());
      }
      assertThat(view.hasSameRows(after, decoder.decodeForViews(framed(record)))).isTrue();
    }
  }

  /** The rows; empty: there is no such record, or it has no rows. */
  private static List<ViewRow> rows(CompiledView view, Optional<GenericRecord> record) {
    try {
      return record.isEmpty() ? List.of() : view.rows(record.get(), "/p/-/1");
    } catch (DerivationException e) {
      return List.of();
    }
  }

  /** Empty: the bytes are no record. */
  private static Optional<GenericRecord> decoded(RecordDecoder decoder, byte[] bytes) {
    try {
      return Optional.of(decoder.decodeForViews(framed(bytes)));
    } catch (DerivationException e) {
      return Optional.empty();
    }
  }

  /** As Avro reads it; empty: the bytes are no record. */
  private static Optional<GenericRecord> whole(
      GenericDatumReader<GenericRecord> reader, byte[] bytes) {
    try {
      BinaryDecoder in = DecoderFactory.get().binaryDecoder(bytes, null);
      GenericRecord record = reader.read(null, in);
      return in.isEnd() ? Optional.of(record) : Optional.empty();
    } catch (IOException
        | AvroRuntimeException
        | UnsupportedOperationException
        | IndexOutOfBoundsException e) {
      // The latter two of texts that are too long, and of branches that a union does not have.
      return Optional.empty();
    }
  }

  /** Most often a number has a byte more than it needs. */
  private static byte[] altered(byte[] bytes, Random random) {
    int at = random.nextInt(bytes.length + 1);
    if (at == bytes.length || bytes[at] < 0) {
      return bytes;
    }
    if (random.nextInt(4) == 0) {
      byte[] other = bytes.clone();
      other[at] ^= (byte) (1 << random.nextInt(4));
      return other;
    }
    byte[] longer = new byte[bytes.length + 1];
    System.arraycopy(bytes, 0, longer, 0, at + 1);
    longer[at] |= (byte) 0x80;
    System.arraycopy(bytes, at + 1, longer, at + 2, bytes.length - at - 1);
    return longer;
  }

  @Property(tries = 15)
  void givesTheRowsOfThoseRecordsThatTheFilterTakes(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    Random random = new Random(seed);
    RandomCondition condition = RandomCondition.of(random, 3);
    String rows =
        "key: [name, tags]\nnulls: index\ninclude: [cost]\nlayout: key-value\ntarget: kv\n";
    ViewGeneration filtered = Samples.people(rows + "where: >-\n  " + condition.expression());
    CompiledView all = CompiledView.compile(Samples.people(rows), Samples.PERSON);
    Schema projection = RecordDecoder.projection(Samples.PERSON, List.of(filtered));
    CompiledView view = CompiledView.compile(filtered, projection);
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, projection, id -> Samples.PERSON);

    for (int i = 0; i < 20; i++) {
      GenericRecord person = RandomCondition.person(random);

      boolean wanted = Boolean.TRUE.equals(condition.of(person));
      assertThat(view.rows(decoder.decodeForViews(framed(person)), "/p/-/1"))
          .as("%s on %s", condition.expression(), person)
          .isEqualTo(wanted ? all.rows(person, "/p/-/1") : List.of());
    }
  }

  @Property(tries = 300)
  void leadsFromOldRowsToNewOnesByTheDelta(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    RandomView random = new RandomView(seed);
    CompiledView view = CompiledView.compile(random.generation(), random.schema());
    List<ViewRow> oldRows = view.rows(random.record(), "/p/-/1");
    List<ViewRow> newRows = view.rows(random.record(), "/p/-/1");

    Delta delta = Delta.between(oldRows, newRows);

    Set<ViewRow> rows = new HashSet<>(oldRows);
    rows.removeIf(
        row ->
            delta.deletes().contains(row)
                || delta.upserts().stream()
                    .anyMatch(upsert -> Arrays.equals(upsert.keyBody(), row.keyBody())));
    rows.addAll(delta.upserts());
    assertThat(rows).isEqualTo(new HashSet<>(newRows));
    assertThat(delta.upserts()).noneMatch(oldRows::contains);
    assertThat(Delta.between(newRows, List.copyOf(newRows)).isEmpty()).isTrue();
  }

  @Property(tries = 250)
  void laysRowsOutWithoutMixingThemUp(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    RandomView random = new RandomView(seed);
    ViewGeneration generation = random.generation();
    CompiledView view = CompiledView.compile(generation, random.schema());
    Set<List<Object>> rows = new HashSet<>();
    Map<Object, List<Object>> places = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      String primaryKey = random.primaryKey();
      for (ViewRow row : view.rows(random.record(), primaryKey)) {
        GenericRecord key = view.keyOf(row);
        Map<String, Object> plain = new LinkedHashMap<>();
        for (ViewFields.KeyField field : generation.fields().key()) {
          plain.put(field.name(), field.type().normalise(key.get(field.name())));
        }
        assertThat(view.keyBody(plain, primaryKey)).isEqualTo(row.keyBody());
        List<Object> identity = List.of(plain, primaryKey);
        rows.add(identity);
        places.put(placeAndBack(generation, key, view.valueOf(row, 5), identity), identity);
      }
    }
    assertThat(new HashSet<>(places.values())).isEqualTo(rows);
    assertThat(places).hasSameSizeAs(rows);
  }

  private static Object placeAndBack(
      ViewGeneration generation, GenericRecord key, GenericRecord value, List<Object> identity) {
    Object place;
    StoredRow row;
    if (generation.definition().target() instanceof Target.Kv) {
      KvLayout layout = KvLayout.of(generation);
      KvPath path = layout.path(key::get);
      byte[] stored = layout.value(key::get, value::get, 5);
      row = layout.row(path, stored);
      assertThat(layout.value(key::get, row.values()::get, 5)).isEqualTo(stored);
      place = layout.isList() ? List.of(path, row.primaryKey()) : path;
    } else {
      DynamoDbLayout layout = DynamoDbLayout.of(generation);
      place = layout.key(key::get);
      row = layout.row(layout.item(key::get, value::get, 5));
    }
    assertThat(List.of(row.key(), row.primaryKey())).isEqualTo(identity);
    Map<String, Object> included = new HashMap<>();
    for (ViewFields.ValueField field : generation.fields().values()) {
      included.put(field.name(), PlainValues.of(field.schema(), value.get(field.name())));
    }
    assertThat(row.values()).isEqualTo(included);
    return place;
  }

  private static FramedValue framed(GenericRecord record) throws IOException {
    return framed(bytes(record));
  }

  /** With something before and behind it, as a message has. */
  private static FramedValue framed(byte[] bytes) {
    Random random = new Random(Arrays.hashCode(bytes));
    byte[] message = new byte[random.nextInt(9) + bytes.length + random.nextInt(9)];
    random.nextBytes(message);
    int offset = random.nextInt(message.length - bytes.length + 1);
    System.arraycopy(bytes, 0, message, offset, bytes.length);
    return new FramedValue(1, message, offset, bytes.length);
  }

  private static byte[] bytes(GenericRecord record) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
    encoder.flush();
    return out.toByteArray();
  }
}
