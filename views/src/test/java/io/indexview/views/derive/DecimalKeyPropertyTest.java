package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.Samples;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.SortableText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Decimals order rows as numbers, whatever their scales. */
class DecimalKeyPropertyTest {
  private static final int SCALE = 6;
  private static final Schema RECORD =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Order", "fields": [
                {"name": "total", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 40, "scale": 6}]},
                {"name": "weight", "type": ["null", {"type": "record", "name": "VariableScaleDecimal", "namespace": "io.debezium.data",
                  "fields": [{"name": "scale", "type": "int"}, {"name": "value", "type": "bytes"}]}]}]}
              """);
  private static final RecordSet ORDERS =
      new RecordSet("r", "r", RecordFormat.FLAT, List.of(), RECORD);
  private static final SortableText TEXT = SortableText.of(FieldType.DOUBLE, false);

  private static CompiledView by(String field) {
    return CompiledView.compile(
        Samples.freeze(ORDERS, "key: [%s]\ntarget: kv".formatted(field)), RECORD);
  }

  private final CompiledView byTotal = by("total");
  private final CompiledView byWeight = by("weight");

  private static GenericRecord order(BigDecimal total, BigDecimal weight) {
    GenericRecord order = new GenericData.Record(RECORD);
    if (total != null) {
      order.put("total", digits(total.setScale(SCALE)));
    }
    if (weight != null) {
      Schema type = RECORD.getField("weight").schema().getTypes().get(1);
      GenericRecord any = new GenericData.Record(type);
      any.put("scale", weight.scale());
      any.put("value", digits(weight));
      order.put("weight", any);
    }
    return order;
  }

  private static ByteBuffer digits(BigDecimal number) {
    return ByteBuffer.wrap(number.unscaledValue().toByteArray());
  }

  private static String key(CompiledView view, GenericRecord order, String field)
      throws DerivationException {
    List<ViewRow> rows = view.rows(order, "1");
    assertThat(rows).hasSize(1);
    return TEXT.encode(view.keyOf(rows.get(0)).get(field));
  }

  @Property(tries = 2_000)
  void sortAsNumbers(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    BigDecimal one = any(random);
    BigDecimal other =
        random.nextInt(3) == 0
            ? one.add(BigDecimal.valueOf(random.nextInt(3) - 1, one.scale()))
            : any(random);
    if (other.stripTrailingZeros().precision() > 15) {
      return;
    }

    int expected = Integer.signum(one.compareTo(other));
    assertThat(
            Integer.signum(
                key(byWeight, order(null, one), "weight")
                    .compareTo(key(byWeight, order(null, other), "weight"))))
        .as("%s, %s", one, other)
        .isEqualTo(expected);
    if (one.scale() <= SCALE && other.scale() <= SCALE) {
      assertThat(key(byTotal, order(one, null), "total"))
          .isEqualTo(key(byWeight, order(null, one), "weight"));
    }
  }

  /** Of up to 15 digits, about 1 or far from it. */
  private static BigDecimal any(Random random) {
    int digits = 1 + random.nextInt(15);
    BigInteger unscaled = new BigInteger(60, random).mod(BigInteger.TEN.pow(digits));
    int scale = random.nextInt(4) == 0 ? random.nextInt(500) - 250 : random.nextInt(SCALE + 1);
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale);
  }

  @Example
  void haveNoMoreDigitsThanCanBeToldApart() throws Exception {
    BigDecimal sixteen = new BigDecimal("1234567890.123456");

    assertThat(byTotal.rows(order(new BigDecimal("123456789.123456"), null), "1")).hasSize(1);
    assertThat(byTotal.rows(order(new BigDecimal("1E+20"), null), "1")).hasSize(1);
    assertThatThrownBy(() -> byTotal.rows(order(sixteen, null), "1"))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("key field \"total\": a decimal of more than 15 digits");
    assertThatThrownBy(() -> byWeight.rows(order(null, new BigDecimal("1E+400")), "1"))
        .isInstanceOf(DerivationException.class);
  }

  @Example
  void mayBeNull() throws Exception {
    assertThat(byTotal.rows(order(null, null), "1")).isEmpty();
    assertThat(byWeight.rows(order(null, null), "1")).isEmpty();
  }
}
