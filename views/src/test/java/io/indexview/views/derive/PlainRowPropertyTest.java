package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.generic.GenericRecord;

/** What is taken for a row unseen is one. */
class PlainRowPropertyTest {
  private static final List<String> PIECES =
      List.of(
          "\"",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\\",
          "null",
          "true",
          "0",
          "9",
          "-",
          "1e99",
          "T",
          "Z",
          " ",
          "_deleted",
          ",\"_deleted\":true",
          "_revision",
          "\u00fc",
          ".",
          "13",
          "32",
          "60");

  @Property(tries = 300)
  void whatIsTakenForARowIsOneHoweverItIsAltered(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    Random random = new Random(seed);
    for (Stored stored : rows(new RandomView(seed))) {
      for (int i = 0; i < 40; i++) {
        byte[] value = altered(stored.value(), random);
        KvPath path = random.nextInt(4) > 0 ? stored.path() : altered(stored.path(), random);
        if (stored.layout().isPlainRow(path, value)) {
          List<StoredRow> rows = stored.layout().rows(path, value);
          assertThat(rows).singleElement().returns(false, StoredRow::deleted);
        }
      }
    }
  }

  @Property(tries = 300)
  void rowsOfScalarsAreTakenForOnes(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    for (Stored stored : rows(new RandomView(seed))) {
      assertThat(stored.layout().isPlainRow(stored.path(), stored.value()))
          .as(new String(stored.value(), StandardCharsets.UTF_8))
          .isEqualTo(stored.isOfScalars());
      if (stored.layout().holdsRevisions()) {
        assertThat(stored.layout().isPlainRow(stored.path(), stored.tombstone())).isFalse();
      }
    }
  }

  /** What begins with a space is left to the parser. */
  @Property(tries = 300)
  void whatIsReadStraightFromBytesIsWhatAParserGives(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    Random random = new Random(seed);
    for (Stored stored : rows(new RandomView(seed))) {
      if (!stored.layout().holdsRevisions()) {
        continue;
      }
      for (int i = 0; i < 40; i++) {
        byte[] value = i == 0 ? stored.value() : altered(stored.value(), random);
        byte[] parsed = new byte[value.length + 1];
        parsed[0] = ' ';
        System.arraycopy(value, 0, parsed, 1, value.length);

        assertThat(answer(stored, value))
            .as(new String(value, StandardCharsets.UTF_8))
            .isEqualTo(answer(stored, parsed));
      }
    }
  }

  /** The rows, or the kind of failure. */
  private static Object answer(Stored stored, byte[] value) {
    try {
      return stored.layout().rows(stored.path(), value);
    } catch (RuntimeException e) {
      return e.getClass();
    }
  }

  private record Stored(
      KvLayout layout, KvPath path, byte[] value, byte[] tombstone, boolean isOfScalars) {}

  private static List<Stored> rows(RandomView random) throws Exception {
    List<Stored> stored = new ArrayList<>();
    ViewGeneration generation = random.generation();
    if (!(generation.definition().target() instanceof Target.Kv target)) {
      return stored;
    }
    KvLayout layout = KvLayout.of(generation);
    CompiledView view = CompiledView.compile(generation, random.schema());
    for (int i = 0; i < 5; i++) {
      for (ViewRow row : view.rows(random.record(), random.primaryKey())) {
        GenericRecord key = view.keyOf(row);
        GenericRecord value = view.valueOf(row, 5);
        boolean isOfScalars =
            target.layout() == Target.KvRows.KEY_ONLY
                || (target.layout() == Target.KvRows.KEY_VALUE
                    && target.primaryKeyForm() == Target.PrimaryKeyForm.PATH
                    && generation.fields().values().stream()
                        .allMatch(field -> isPlain(field, value)));
        stored.add(
            new Stored(
                layout,
                layout.path(key::get),
                layout.value(key::get, value::get, 5),
                layout.holdsRevisions() ? layout.tombstone(key::get, 5) : null,
                isOfScalars));
      }
    }
    return stored;
  }

  private static boolean isPlain(ViewFields.ValueField field, GenericRecord row) {
    Object value = PlainValues.of(field.schema(), row.get(field.name()));
    return FieldType.of(PlainValues.withoutNull(field.schema())).isPresent()
        && (value == null || isUsual(value));
  }

  /** Numbers that are none are texts in JSON; years have four digits. */
  private static boolean isUsual(Object value) {
    if (value instanceof Double number) {
      return Double.isFinite(number);
    } else if (value instanceof Float number) {
      return Float.isFinite(number);
    } else if (value instanceof LocalDate || value instanceof Instant) {
      return value.toString().matches("\\d{4}-.*");
    }
    return true;
  }

  private static KvPath altered(KvPath path, Random random) {
    List<String> major = new ArrayList<>(path.major());
    List<String> minor = new ArrayList<>(path.minor());
    List<String> some = minor.isEmpty() || random.nextBoolean() ? major : minor;
    int at = random.nextInt(some.size());
    switch (random.nextInt(3)) {
      case 0 -> some.add(at, PIECES.get(random.nextInt(PIECES.size())));
      case 1 -> some.set(at, some.get(at) + PIECES.get(random.nextInt(PIECES.size())));
      default -> some.remove(at);
    }
    return new KvPath(major, minor);
  }

  private static byte[] altered(byte[] value, Random random) {
    byte[] altered = value;
    for (int i = random.nextInt(3); i >= 0; i--) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int from = random.nextInt(altered.length + 1);
      int to = Math.min(altered.length, from + random.nextInt(3));
      bytes.write(altered, 0, from);
      if (random.nextInt(3) > 0) {
        bytes.writeBytes(
            PIECES.get(random.nextInt(PIECES.size())).getBytes(StandardCharsets.UTF_8));
      }
      bytes.write(altered, to, altered.length - to);
      altered = bytes.toByteArray();
    }
    return altered;
  }
}
