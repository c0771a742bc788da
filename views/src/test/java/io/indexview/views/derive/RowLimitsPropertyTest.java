package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.Samples;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.LayoutException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;

/** A view gives just those rows that its target takes, though it does not lay out each. */
class RowLimitsPropertyTest {
  private static final String DYNAMODB = "\ntarget: dynamodb\ntable: abc";
  private static final List<CompiledView> VIEWS =
      List.of(
          view("kind: document\nkey: [objectKey]\ninclude: [size, uploadUser]" + DYNAMODB),
          view(
              "kind: document\nkey: [objectKey]\ninclude: [uploadUser, uploadTime, public]"
                  + DYNAMODB
                  + "\nindexes: [{name: abc, partitionKey: uploadUser, sortKey: uploadTime}]"),
          view("kind: document\ninclude: [bucketName, userMetadata]" + DYNAMODB),
          view("kind: document\ninclude: [ratio]" + DYNAMODB),
          view("key: [bucketName, objectKey]\nshardKey: 1\ninclude: [uploadUser, size]" + DYNAMODB),
          view("key: [bucketName, uploadUser]\nnulls: index\ninclude: [userMetadata]" + DYNAMODB),
          view("key: [bucketName, objectKey]\ntarget: kv"),
          view("key: [uploadUser, size]\nnulls: index\nlayout: key-value\ntarget: kv"));

  private static CompiledView view(String yaml) {
    return CompiledView.compile(Samples.freeze(Samples.FILES, yaml), Samples.FILES.schema());
  }

  @Property(tries = 700)
  void givesTheRowsThatTheTargetTakes(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    GenericRecord file =
        new GenericRecordBuilder(Samples.FILES.schema())
            .set("objectKey", text(random))
            .set("bucketName", text(random))
            .set("uploadUser", random.nextBoolean() ? null : text(random))
            .set("size", random.nextBoolean() ? null : random.nextLong())
            .set("ratio", random.nextInt(4) == 0 ? Float.NaN : random.nextFloat())
            .set("uploadTime", random.nextLong())
            .build();
    String primaryKey = text(random);
    for (CompiledView view : VIEWS) {
      assertThat(isGiven(view, file, primaryKey))
          .as("%s of %s", view.generation().definition(), file)
          .isEqualTo(isTaken(view, file, primaryKey));
    }
  }

  @Example
  void laysOutNoRowOfUsualSize() throws DerivationException {
    for (String yaml :
        List.of(
            "key: [uploadUser, uploadTime]\ntarget: kv",
            "key: [uploadUser]\ninclude: [userMetadata, ratio]\nlayout: key-value\ntarget: kv",
            "key: [uploadUser, ratio]\nshardKey: 1\ninclude: [size, public]" + DYNAMODB,
            "kind: document\nkey: [objectKey]\ninclude: [uploadUser, uploadTime]" + DYNAMODB,
            "kind: document\ninclude: [objectKey]" + DYNAMODB,
            "key: [ratio]\ninclude: [userMetadata]\ntarget: elastic")) {
      CompiledView view = view(yaml);
      ViewRow row = view.rows(USUAL, "docs/report.pdf").get(0);

      assertThat(new RowLimits(view, 1_000_000).isSafe(row)).as(yaml).isTrue();
    }
  }

  private static final GenericData.Record USUAL =
      new GenericRecordBuilder(Samples.FILES.schema())
          .set("objectKey", "report.pdf")
          .set("bucketName", "docs")
          .set("uploadUser", "Ann")
          .set("uploadTime", 1_700_000_000_000L)
          .set("ratio", 0.5f)
          .build();

  @Example
  void givesAConnectTargetWhateverItIs() throws DerivationException {
    CompiledView view = view("kind: document\ninclude: [ratio, objectKey]\ntarget: elastic");
    GenericRecord file =
        new GenericRecordBuilder(USUAL)
            .set("ratio", Float.NaN)
            .set("objectKey", "x".repeat(100_000))
            .build();

    assertThat(view.rows(file, "")).hasSize(1);
  }

  /** A timestamp takes one byte in Avro at least, and 27 as text. */
  private static CompiledView times(int count, String target) {
    Schema time = LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
    List<String> names = IntStream.range(0, count).mapToObj(i -> "t" + i).toList();
    Schema schema =
        Schema.createRecord(
            "Times",
            null,
            "test",
            false,
            names.stream().map(name -> new Schema.Field(name, time)).toList());
    RecordSet recordSet = new RecordSet("times", "t", RecordFormat.FLAT, List.of(), schema);
    return CompiledView.compile(
        Samples.freeze(recordSet, "key: %s\nshardKey: 1%s".formatted(names, target)), schema);
  }

  private static ViewRow timesRow(CompiledView view) throws DerivationException {
    Schema schema = view.generation().recordSet().schema();
    GenericRecord times = new GenericData.Record(schema);
    schema.getFields().forEach(field -> times.put(field.pos(), 0L));
    return view.rows(times, "/a/b").get(0);
  }

  @Example
  void refusesKeysThatAreTooLongAsTextAlone() throws DerivationException {
    assertThat(timesRow(times(36, DYNAMODB)).keyBody()).hasSizeLessThan(50);
    assertThatThrownBy(() -> timesRow(times(40, DYNAMODB)))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("\"_sk\" takes");

    assertThat(timesRow(times(1_150, "\ntarget: kv")).keyBody()).hasSizeLessThan(1_200);
    assertThatThrownBy(() -> timesRow(times(1_200, "\ntarget: kv")))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("the store takes 32767");
  }

  @Example
  void refusesKeysOfCharactersThatTakeTwiceTheirBytes() {
    for (String yaml : List.of("key: [objectKey]\ntarget: kv", "key: [objectKey]" + DYNAMODB)) {
      CompiledView view = view(yaml);
      GenericRecord file =
          new GenericRecordBuilder(USUAL).set("objectKey", "\u0000".repeat(16_400)).build();

      assertThatThrownBy(() -> view.rows(file, "/a/b"))
          .isInstanceOf(DerivationException.class)
          .hasMessageContaining("the store takes");
    }
  }

  /** The store keeps such keys for large objects; other layouts end their keys otherwise. */
  @Example
  void refusesKeysOfLargeObjects() throws DerivationException {
    String key = "key: [uploadUser]\ntarget: kv";
    for (String primaryKey : List.of("docs/model.lob", "/.lob", ".lob")) {
      assertThatThrownBy(() -> view(key).rows(USUAL, primaryKey))
          .isInstanceOf(DerivationException.class)
          .hasMessageContaining("\".lob\"")
          .hasMessageContaining("layout: key-value");
      assertThat(view(key + "\nlayout: key-value").rows(USUAL, primaryKey)).hasSize(1);
      assertThat(view(key + "\nlayout: list").rows(USUAL, primaryKey)).hasSize(1);
    }
    for (String primaryKey : List.of("docs/model.lob/1", "docs/model.LOB", "lob")) {
      assertThat(view(key).rows(USUAL, primaryKey)).hasSize(1);
    }
  }

  @Example
  void refusesSmallRowsWithNumbersThatDynamoDbDoesNotTake() throws DerivationException {
    Schema ratio = Schema.create(Schema.Type.FLOAT);
    String document = "kind: document\nkey: [id, amount]" + DYNAMODB;
    assertThatThrownBy(() -> amountRow(document, ratio, Float.NaN))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("DynamoDB does not take");

    String index = "key: [id]\ninclude: [amount]" + DYNAMODB;
    Schema bytes = Schema.create(Schema.Type.BYTES);
    Schema decimal = LogicalTypes.decimal(60).addToSchema(Schema.create(Schema.Type.BYTES));
    ByteBuffer number = ByteBuffer.wrap(new BigInteger("1".repeat(39)).toByteArray());
    assertThat(amountRow(index, bytes, number).valueBody()).hasSizeLessThan(20);
    assertThatThrownBy(() -> amountRow(index, decimal, number))
        .isInstanceOf(DerivationException.class)
        .hasMessageContaining("more than 38 digits");
  }

  private static ViewRow amountRow(String yaml, Schema type, Object amount)
      throws DerivationException {
    Schema schema =
        SchemaBuilder.record("Amount")
            .fields()
            .requiredString("id")
            .name("amount")
            .type(type)
            .noDefault()
            .endRecord();
    RecordSet recordSet = new RecordSet("amounts", "a", RecordFormat.FLAT, List.of("id"), schema);
    CompiledView view = CompiledView.compile(Samples.freeze(recordSet, yaml), schema);
    GenericRecord record =
        new GenericRecordBuilder(schema).set("id", "1").set("amount", amount).build();
    ViewRow row = view.rows(record, "1").get(0);
    assertThat(new RowLimits(view, 1_000_000).isSafe(row)).isTrue();
    return row;
  }

  private static boolean isGiven(CompiledView view, GenericRecord file, String primaryKey) {
    try {
      view.rows(file, primaryKey);
      return true;
    } catch (DerivationException e) {
      return false;
    }
  }

  /** Lays the row out from what the encoder wrote, unchecked. */
  private static boolean isTaken(CompiledView view, GenericRecord file, String primaryKey) {
    ViewGeneration generation = view.generation();
    RowEncoder encoder = new RowEncoder(generation.fields(), Samples.FILES.schema());
    try {
      byte[] key = encoder.key(file, null, primaryKey);
      if (key != null) {
        ViewRow row = new ViewRow(key, encoder.value(file));
        if (generation.definition().target() instanceof Target.Kv) {
          KvLayout.requireWritable(KvLayout.of(generation).path(view.keyOf(row)::get));
        } else {
          DynamoDbLayout.of(generation).item(view.keyOf(row)::get, view.valueOf(row, 1)::get, 1);
        }
      }
      return true;
    } catch (DerivationException | LayoutException e) {
      return false;
    }
  }

  private static String text(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> "";
      case 5 -> "a.lob";
      case 1 -> "a\u0000b\t";
      case 2 -> "\n".repeat(random.nextInt(1200));
      case 3 -> "ä".repeat(random.nextInt(1200));
      case 4 -> "\u0000".repeat(random.nextInt(17_000));
      default -> "x".repeat(random.nextInt(2100));
    };
  }
}
