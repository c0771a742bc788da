package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.layout.DynamoDbLayout.AttributeType;
import io.indexview.views.layout.DynamoDbLayout.Index;
import io.indexview.views.layout.DynamoDbLayout.KeyAttribute;
import io.indexview.views.layout.DynamoDbLayout.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class DynamoDbLayoutTest {
  private static final String FILES =
      """
      kind: document
      key: [objectKey]
      target: dynamodb
      table: FileMetaData
      indexes:
        - {name: uploadUser-uploadDate-index, partitionKey: uploadUser, sortKey: uploadDate}
        - {name: bucketName-size-index, partitionKey: bucketName, sortKey: size}
        - {name: public-index, partitionKey: public}
      """;
  private static final Map<String, Object> FILE_KEY =
      Map.of("objectKey", "USER001_FILE001.txt", "_primaryKey", "docs/USER001_FILE001.txt");

  @Test
  void describesTheTableOfDocuments() {
    assertThat(files(FILES).table())
        .isEqualTo(
            new Table(
                "FileMetaData",
                new KeyAttribute("objectKey", AttributeType.S),
                null,
                List.of(
                    new Index(
                        "uploadUser-uploadDate-index",
                        new KeyAttribute("uploadUser", AttributeType.S),
                        new KeyAttribute("uploadDate", AttributeType.S)),
                    new Index(
                        "bucketName-size-index",
                        new KeyAttribute("bucketName", AttributeType.S),
                        new KeyAttribute("size", AttributeType.N)),
                    new Index("public-index", new KeyAttribute("public", AttributeType.S), null))));
  }

  @Test
  void keepsDocumentsInAttributesOfTheirOwn() {
    DynamoDbLayout layout = files(FILES);
    Instant time = Instant.parse("2017-08-20T09:30:00Z");
    Map<String, Object> value = new HashMap<>();
    value.put("bucketName", "docs");
    value.put("size", 1200L);
    value.put("uploadUser", "");
    value.put("public", true);
    value.put("ratio", 0.1f);
    value.put("uploadTime", Date.from(time));
    value.put("userMetadata", Map.of("a", "b"));

    Map<String, Object> item = layout.item(FILE_KEY::get, value::get, 99);

    assertThat(item)
        .isEqualTo(
            Map.of(
                "objectKey", "USER001_FILE001.txt",
                "_primaryKey", "docs/USER001_FILE001.txt",
                "bucketName", "docs",
                "size", 1200L,
                "public", "true",
                "ratio", 0.1,
                "uploadTime", "2017-08-20T09:30:00.000Z",
                "userMetadata", Map.of("a", "b"),
                "revision", 99L));
    StoredRow row = layout.row(asRead(item));
    assertThat(row.key()).isEqualTo(Map.of("objectKey", "USER001_FILE001.txt"));
    assertThat(row.primaryKey()).isEqualTo("docs/USER001_FILE001.txt");
    assertThat(row.revision()).hasValue(99);
    assertThat(row.values())
        .containsEntry("size", 1200L)
        .containsEntry("public", true)
        .containsEntry("ratio", 0.1f)
        .containsEntry("uploadTime", time)
        .containsEntry("uploadDate", null);
  }

  @Test
  void keysDocumentsByThePrimaryKeyWhenTheyHaveNoKey() {
    DynamoDbLayout layout =
        files("kind: document\ninclude: [size]\ntarget: dynamodb\ntable: Files\n");

    assertThat(layout.table().partitionKey())
        .isEqualTo(new KeyAttribute("_primaryKey", AttributeType.S));
    assertThat(layout.key(FILE_KEY::get))
        .isEqualTo(Map.of("_primaryKey", "docs/USER001_FILE001.txt"));
    assertThat(layout.row(asRead(layout.item(FILE_KEY::get, name -> null, 1))).primaryKey())
        .isEqualTo("docs/USER001_FILE001.txt");
  }

  @Test
  void joinsTheKeyOfIndexViews() {
    DynamoDbLayout layout =
        DynamoDbLayout.of(
            Samples.people(
                "key: [org, cost, name]\nshardKey: 1\ninclude: [email]\ntarget: dynamodb\n"
                    + "table: People"));
    Map<String, Object> key =
        Map.of("org", "Support", "cost", 1500L, "name", "Ann", "_primaryKey", "/p/-/1");
    Map<String, Object> value = Map.of("email", "ann@example.org");

    Map<String, Object> item = layout.item(key::get, value::get, 5);

    assertThat(item)
        .isEqualTo(
            Map.of(
                "_pk", "Support",
                "_sk", "d1500\tAnn\t/p/-/1",
                "email", "ann@example.org",
                "revision", 5L));
    StoredRow row = layout.row(asRead(item));
    assertThat(row.key()).isEqualTo(Map.of("org", "Support", "cost", 1500L, "name", "Ann"));
    assertThat(row.primaryKey()).isEqualTo("/p/-/1");
    assertThat(row.values()).isEqualTo(value);
    assertThat(layout.partition(List.of("Support"))).isEqualTo("Support");
    assertThat(layout.sortPrefix(List.of("Support"), List.of(1500L))).isEqualTo("d1500\t");
    assertThatThrownBy(() -> layout.partition(List.of()))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("shard key has 1 fields");
    assertThatThrownBy(() -> files(FILES).partition(List.of("x")))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("document");
  }

  @Test
  void boundsTheSortKeysOfAValue() {
    DynamoDbLayout layout =
        DynamoDbLayout.of(
            Samples.people("key: [org, name, cost]\nshardKey: 1\ntarget: dynamodb\ntable: People"));
    List<String> names =
        List.of("", "\n", "\na", "a", "a\t", "a\tb", "a\n", "ab", "é", "\uFFFD", "😀");
    for (String name : names) {
      String before = layout.sortBound(List.of("o"), name, false);
      String behind = layout.sortBound(List.of("o"), name, true);
      for (String other : names) {
        String sort = sortKey(layout, other, "");
        int order = FieldType.STRING.compare(other, name);
        assertThat(FieldType.STRING.compare(before, sort) < 0).isEqualTo(order >= 0);
        assertThat(FieldType.STRING.compare(behind, sort) > 0).isEqualTo(order <= 0);
        assertThat(sort.startsWith(layout.sortPrefixOf(List.of("o"), name)))
            .isEqualTo(other.startsWith(name));
        String end = layout.sortEnd(List.of("o", name));
        assertThat(FieldType.STRING.compare(end, sort) > 0).isEqualTo(order <= 0);
      }
    }
    assertThat(layout.sortEnd(List.of("o"))).isNull();
  }

  private static String sortKey(DynamoDbLayout layout, String name, String primaryKey) {
    Map<String, Object> key =
        Map.of("org", "o", "name", name, "cost", 1L, "_primaryKey", primaryKey);
    return (String) layout.key(key::get).get("_sk");
  }

  @Test
  void tellsTheFieldsThatDocumentsAreFoundBy() {
    DynamoDbLayout layout = files(FILES);

    assertThat(layout.keyFields(null)).extracting(KeyField::name).containsExactly("objectKey");
    assertThat(layout.keyFields("uploadUser-uploadDate-index"))
        .extracting(KeyField::name)
        .containsExactly("uploadUser", "uploadDate");
    assertThatThrownBy(() -> layout.keyFields("other"))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("no index \"other\"")
        .hasMessageContaining("uploadUser-uploadDate-index");
    assertThat(
            files("kind: document\ninclude: [size]\ntarget: dynamodb\ntable: Files\n")
                .keyFields(null))
        .extracting(KeyField::name)
        .containsExactly("_primaryKey");
  }

  @Test
  void namesTheGenerationWhereGenerationsShareATable() {
    DynamoDbLayout layout = files(FILES + "swap: in-place\n");
    Map<String, Object> item = layout.item(FILE_KEY::get, name -> null, 1);

    assertThat(item).containsEntry("gen", 1L);
    assertThat(layout.holds(asRead(item))).isTrue();
    assertThat(layout.holds(Map.of("gen", 2))).isFalse();
    assertThat(layout.holds(Map.of())).isFalse();
    assertThat(files(FILES).item(FILE_KEY::get, name -> null, 1)).doesNotContainKey("gen");
    assertThat(files(FILES).holds(Map.of())).isTrue();
  }

  @Test
  void marksDeletedItemsWithoutIndexAttributes() {
    DynamoDbLayout layout = files(FILES);

    Map<String, Object> tombstone = layout.tombstone(FILE_KEY::get, 7, 1_500_000_000L);

    assertThat(tombstone)
        .isEqualTo(
            Map.of(
                "objectKey",
                "USER001_FILE001.txt",
                "_primaryKey",
                "docs/USER001_FILE001.txt",
                "revision",
                7L,
                "_deleted",
                true,
                "_expiresAt",
                1_500_000_000L));
    assertThat(layout.row(asRead(tombstone)).deleted()).isTrue();
  }

  @Test
  void refusesWhatTheStoreDoesNotTake() {
    DynamoDbLayout layout = files(FILES);
    assertRefused(layout, Map.of("objectKey", "", "_primaryKey", "p"), Map.of(), "is empty text");
    assertRefused(
        layout,
        Map.of("objectKey", "x".repeat(2049), "_primaryKey", "p"),
        Map.of(),
        "the store takes 2048");
    assertRefused(layout, FILE_KEY, Map.of("uploadDate", "x".repeat(1025)), "the store takes 1024");
    assertRefused(
        layout,
        FILE_KEY,
        Map.of("userMetadata", Map.of("a", "x".repeat(410_000))),
        "include fewer fields");
    assertRefused(layout, FILE_KEY, Map.of("ratio", Float.NaN), "field \"ratio\"");
    assertRefused(layout, FILE_KEY, Map.of("size", "big"), "field \"size\"");
  }

  private static void assertRefused(
      DynamoDbLayout layout, Map<String, ?> key, Map<String, ?> value, String message) {
    assertThatThrownBy(() -> layout.item(key::get, value::get, 1))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining(message);
  }

  @Test
  void refusesItemsThatAreNoRows() {
    DynamoDbLayout documents = files(FILES);
    DynamoDbLayout index =
        DynamoDbLayout.of(Samples.people("key: [cost]\ntarget: dynamodb\ntable: People"));
    assertNoRow(documents, Map.of());
    assertNoRow(documents, Map.of("revision", 1));
    assertNoRow(documents, Map.of("revision", 1, "_primaryKey", "p"));
    assertNoRow(documents, Map.of("revision", 1, "_primaryKey", "p", "objectKey", 5));
    assertNoRow(index, Map.of("revision", 1, "_pk", "a1"));
    assertNoRow(index, Map.of("revision", 1, "_pk", "a1\ta2", "_sk", "p"));
    assertNoRow(index, Map.of("revision", 1, "_pk", "a1", "_sk", "p\tq"));
    assertNoRow(index, Map.of("revision", 1, "_pk", "x", "_sk", "p"));
  }

  private static void assertNoRow(DynamoDbLayout layout, Map<String, Object> item) {
    assertThatThrownBy(() -> layout.row(item)).isInstanceOf(LayoutException.class);
  }

  private static DynamoDbLayout files(String yaml) {
    return DynamoDbLayout.of(Samples.freeze(Samples.FILES, yaml));
  }

  /** The store hands all numbers back as decimals. */
  private static Map<String, Object> asRead(Map<String, Object> item) {
    Map<String, Object> read = new HashMap<>();
    item.forEach(
        (name, value) ->
            read.put(name, value instanceof Number ? new BigDecimal(value.toString()) : value));
    return read;
  }

  /** Somebody else may have written it. */
  @Test
  void refusesDecimalsOfMoreDigitsThanTheFieldHas() {
    Schema money = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));

    assertThat(Attributes.parse("price", money, Map.of("price", new BigDecimal("1.5"))))
        .isEqualTo(new BigDecimal("1.50"));
    assertThatThrownBy(
            () -> Attributes.parse("price", money, Map.of("price", new BigDecimal("1.505"))))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("price");
  }

  /** Likewise: cut to what fits, it could not be told from that. */
  @Test
  void refusesNumbersThatTheirFieldCannotHold() {
    Schema year = Schema.create(Schema.Type.INT);
    Schema size = Schema.create(Schema.Type.LONG);

    assertThat(parse(year, new BigDecimal("2017.0"))).isEqualTo(2017);
    assertThat(parse(size, 17L)).isEqualTo(17L);
    assertThat(parse(size, new BigDecimal("-1E+3"))).isEqualTo(-1000L);
    for (String none : List.of("242.7", "4294967338", "-2147483649")) {
      assertNoValue(year, new BigDecimal(none));
    }
    for (String none : List.of("0.5", "9223372036854775808", "1E+30")) {
      assertNoValue(size, new BigDecimal(none));
    }
    assertNoValue(Schema.create(Schema.Type.BOOLEAN), "maybe");
    Map<String, Object> file = new HashMap<>(files(FILES).item(FILE_KEY::get, name -> null, 1));
    file.put("revision", new BigDecimal("1.5"));
    assertNoRow(files(FILES), file);
  }

  /** Written out, a few characters of them would fill the memory. */
  @Test
  void refusesDecimalsThatAreTextsOrEndInManyZeros() {
    Schema money = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));

    assertThat(parse(money, new BigDecimal("1E+3"))).isEqualTo(new BigDecimal("1000.00"));
    assertThat(parse(money, new BigDecimal("1.500"))).isEqualTo(new BigDecimal("1.50"));
    assertNoValue(money, "1.50");
    for (String none : List.of("1E+999999999", "1E-999999999")) {
      assertNoValue(money, new BigDecimal(none));
    }
  }

  @Test
  void refusesNumbersThatAreTooLargeForAFloatingPointNumber() {
    assertThat(parse(Schema.create(Schema.Type.FLOAT), new BigDecimal("1e38"))).isEqualTo(1e38f);
    assertNoValue(Schema.create(Schema.Type.FLOAT), new BigDecimal("1e39"));
    assertNoValue(Schema.create(Schema.Type.DOUBLE), new BigDecimal("-1e400"));
  }

  /** It is undecodable, and has to go with its generation. */
  @Test
  void knowsARowByItsKeyWhateverElseItHolds() {
    DynamoDbLayout layout = files(FILES);
    Map<String, Object> file = new HashMap<>(layout.item(FILE_KEY::get, name -> null, 1));
    file.put("size", new BigDecimal("242.7"));
    assertNoRow(layout, file);

    assertThatCode(() -> layout.requireRow(file)).doesNotThrowAnyException();
    for (String part : List.of("objectKey", "_primaryKey", "revision")) {
      Map<String, Object> other = new HashMap<>(file);
      other.put(part, List.of());
      assertThatThrownBy(() -> layout.requireRow(other))
          .isInstanceOf(LayoutException.class)
          .hasMessageContaining(part);
    }
  }

  private static Object parse(Schema schema, Object attribute) {
    return Attributes.parse("field", schema, Map.of("field", attribute));
  }

  private static void assertNoValue(Schema schema, Object attribute) {
    assertThatThrownBy(() -> parse(schema, attribute))
        .as(attribute.toString())
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("field");
  }
}
