package io.indexview.views.derive;

import io.indexview.views.Samples;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;

/**
 * A condition on persons, as an expression and as plain Java: true, false or, as null, undecided.
 */
record RandomCondition(String expression, Function<GenericRecord, Boolean> meaning) {
  private static final List<String> TEXTS = List.of("", "a", "b", "ab", "ba", "bb");

  static RandomCondition of(Random random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return leaf(random);
    }
    RandomCondition left = of(random, depth - 1);
    RandomCondition right = of(random, depth - 1);
    return switch (random.nextInt(3)) {
      case 0 ->
          new RandomCondition(
              "(%s && %s)".formatted(left.expression, right.expression),
              record -> not(or(not(left.of(record)), not(right.of(record)))));
      case 1 ->
          new RandomCondition(
              "(%s || %s)".formatted(left.expression, right.expression),
              record -> or(left.of(record), right.of(record)));
      default -> new RandomCondition("!(" + left.expression + ")", record -> not(left.of(record)));
    };
  }

  Boolean of(GenericRecord record) {
    return meaning.apply(record);
  }

  private static Boolean not(Boolean value) {
    return value == null ? null : !value;
  }

  private static Boolean or(Boolean left, Boolean right) {
    if (Boolean.TRUE.equals(left) || Boolean.TRUE.equals(right)) {
      return true;
    }
    return left == null || right == null ? null : false;
  }

  private static RandomCondition leaf(Random random) {
    int number = random.nextInt(5) - 1;
    String text = TEXTS.get(random.nextInt(TEXTS.size()));
    LocalDate date = LocalDate.ofEpochDay(number);
    return switch (random.nextInt(14)) {
      case 0 -> onNullable("age > " + number, "age", age -> (Integer) age > number);
      case 1 -> onNullable("age + 1 <= " + number, "age", age -> (Integer) age < number);
      case 2 -> onNullable("org.contains('" + text + "')", "org", org -> has(org, text));
      case 3 -> onNullable("org.matches('" + text + "')", "org", org -> has(org, text));
      case 4 -> new RandomCondition("org == '%s'".formatted(text), r -> is(r.get("org"), text));
      case 5 -> new RandomCondition("org != null", r -> r.get("org") != null);
      case 6 ->
          onNullable("name < '" + text + "'", "name", name -> name.toString().compareTo(text) < 0);
      case 7 -> onNullable("cost % 3 == " + number, "cost", cost -> (Long) cost % 3 == number);
      case 8 -> new RandomCondition("active", r -> (Boolean) r.get("active"));
      case 9 ->
          onNullable(
              "born >= timestamp('" + date + "')",
              "born",
              days -> (Integer) days >= date.toEpochDay());
      case 10 ->
          onNullable(
              "tags.exists(t, t == '" + text + "')",
              "tags",
              tags -> ((List<?>) tags).stream().anyMatch(tag -> is(tag, text)));
      case 11 ->
          new RandomCondition(
              "orders.exists(o, o.count > " + number + ")", r -> someOrder(r, number));
      case 12 ->
          onNullable(
              "address.city >= '" + text + "'",
              "address",
              address -> ((GenericRecord) address).get("city").toString().compareTo(text) >= 0);
      default -> new RandomCondition("level in ['HIGH', 'NONE']", r -> is(r.get("level"), "HIGH"));
    };
  }

  private static RandomCondition onNullable(
      String expression, String field, Predicate<Object> meaning) {
    return new RandomCondition(
        expression,
        record -> record.get(field) == null ? null : (Boolean) meaning.test(record.get(field)));
  }

  private static boolean is(Object value, String text) {
    return value != null && value.toString().equals(text);
  }

  private static boolean has(Object value, String text) {
    return value.toString().contains(text);
  }

  private static Boolean someOrder(GenericRecord record, int number) {
    Boolean some = false;
    for (Object order : (List<?>) record.get("orders")) {
      Integer count = (Integer) ((GenericRecord) order).get("count");
      some = or(some, count == null ? null : (Boolean) (count > number));
    }
    return some;
  }

  static GenericRecord person(Random random) {
    Schema level = Samples.PERSON.getField("level").schema();
    Schema address = Samples.PERSON.getField("address").schema().getTypes().get(1);
    Schema order = Samples.PERSON.getField("orders").schema().getElementType();
    List<GenericRecord> orders = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      GenericRecord one = new GenericData.Record(order);
      one.put("sku", text(random));
      one.put("count", random.nextBoolean() ? null : random.nextInt(4));
      orders.add(one);
    }
    GenericRecord home = new GenericData.Record(address);
    home.put("city", text(random));
    return new GenericRecordBuilder(Samples.PERSON)
        .set("name", text(random))
        .set("org", random.nextBoolean() ? null : text(random))
        .set("cost", (long) random.nextInt(9) - 4)
        .set("age", random.nextBoolean() ? null : random.nextInt(4))
        .set("active", random.nextBoolean())
        .set("level", new GenericData.EnumSymbol(level, random.nextBoolean() ? "LOW" : "HIGH"))
        .set("born", random.nextInt(4))
        .set("tags", List.of(text(random), text(random)).subList(0, random.nextInt(3)))
        .set("address", random.nextBoolean() ? null : home)
        .set("orders", orders)
        .build();
  }

  private static String text(Random random) {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }
}
