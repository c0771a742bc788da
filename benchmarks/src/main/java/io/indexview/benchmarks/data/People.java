package io.indexview.benchmarks.data;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * The primary records of all benchmarks: twelve fields in about 135 bytes, the same in every run.
 */
public final class People {
  public static final Schema SCHEMA = schema();
  public static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  public static final String NAME = "people";
  public static final String TOPIC = TOPICS.changes(NAME);
  public static final RecordSet RECORD_SET =
      new RecordSet(NAME, TOPIC, RecordFormat.ENVELOPE, List.of(), SCHEMA);

  private static final int ORGS = 50;
  private static final int CITIES = 400;
  private static final int COUNTRIES = 40;
  private static final int TAGS = 30;
  private static final int NEXT_TAG = 7;

  /** Tags of a person. */
  static final int USUAL_TAGS = 2;

  private static final int DAYS = 18_000;
  private static final long MILLIS_PER_MINUTE = 60_000;

  /** Every so many changes a person moves to another organisation and city. */
  private static final int MOVES_EVERY = 4;

  private People() {}

  private static Schema schema() {
    try (InputStream in =
        People.class.getResourceAsStream("/io/indexview/benchmarks/person.avsc")) {
      return new Schema.Parser().parse(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Primary key of a person. */
  public static String key(int number) {
    return "/Corporate/people/" + number;
  }

  /** The field {@code id} of a person. */
  public static String id(int number) {
    return "P%08d".formatted(number);
  }

  /**
   * A person after some changes: each alters cost and note, every fourth organisation and city too.
   */
  public static GenericRecord person(int number, int changes) {
    return person(number, changes, changes / MOVES_EVERY);
  }

  private static GenericRecord person(int number, int changes, int moves) {
    return person(number, changes, moves, USUAL_TAGS);
  }

  /**
   * A person after some changes, and so many moves to another organisation and city.
   *
   * @param tags up to ten; a move changes one of more than two
   */
  public static GenericRecord person(int number, int changes, int moves, int tags) {
    int place = number + moves;
    GenericRecord person = new GenericData.Record(SCHEMA);
    person.put("id", id(number));
    person.put("name", "Adelheid Muster-" + number);
    person.put("org", "Organisation " + place % ORGS);
    person.put("city", "City " + place % CITIES);
    person.put("country", "Country " + number % COUNTRIES);
    person.put("cost", 1_000L + (number * 37L + changes) % 90_000);
    person.put("rating", number % 500 / 100.0);
    person.put("born", number % DAYS);
    person.put("hiredAt", number % DAYS * MILLIS_PER_MINUTE);
    person.put("active", number % 3 != 0);
    person.put("tags", tags(number, moves, tags));
    person.put("note", "changed " + changes + " times, nothing else to say");
    return person;
  }

  /** All different: the first of many is of those that nobody has in the other places. */
  private static List<String> tags(int number, int moves, int count) {
    int first = count == USUAL_TAGS ? 0 : count + moves % (TAGS - count);
    return IntStream.range(0, count)
        .mapToObj(i -> "tag" + (number + NEXT_TAG * (i == 0 ? first : i)) % TAGS)
        .toList();
  }

  /** A person as the store holds it: Avro binary without a header. */
  public static byte[] bytes(GenericRecord person) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    try {
      new GenericDatumWriter<GenericRecord>(SCHEMA).write(person, encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
