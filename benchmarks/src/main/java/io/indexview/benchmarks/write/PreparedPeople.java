package io.indexview.benchmarks.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.benchmarks.data.People;
import io.indexview.kvstore.KvKey;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageWriter;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.avro.generic.GenericRecord;

/** People in every form in which one is written, made before anything is measured. */
final class PreparedPeople {
  /** Records of one major path, which one write puts. */
  record Group(List<Person> people) {
    int size() {
      return people.size();
    }
  }

  /**
   * One of them.
   *
   * @param value as it lies in the store
   * @param event as it is on the topic, of a version that the store did not give
   * @param json as REST takes it
   */
  record Person(KvKey key, GenericRecord record, byte[] value, byte[] event, String json) {
    byte[] eventKey() {
      return key.toString().getBytes(UTF_8);
    }
  }

  private final List<Group> groups = new ArrayList<>();

  /**
   * @param size of a group; records of groups of one have a major path for themselves
   */
  PreparedPeople(int count, int size, String topic, SchemaRegistry registry) {
    EnvelopeWriter envelopes =
        new EnvelopeWriter(People.SCHEMA, new EnvelopeWriter.SourceInfo("writer", "bench", "1"));
    MessageWriter messages = new MessageWriter(registry, false);
    Origin origin = new Origin.Versioned(new SourceVersion("1/rg1", new byte[Long.BYTES]));
    long now = System.currentTimeMillis();
    for (int first = 0; first < count; first += size) {
      List<Person> people = new ArrayList<>();
      for (int number = first; number < first + size; number++) {
        GenericRecord record = People.person(number, 1);
        String key = size == 1 ? People.key(number) : People.key(first) + "/-/" + number;
        people.add(
            new Person(
                KvKey.fromString(key),
                record,
                People.bytes(record),
                messages.write(
                    topic,
                    envelopes.schema(),
                    envelopes.write(Op.UPDATE, now, now, origin, record)),
                json(record)));
      }
      groups.add(new Group(people));
    }
  }

  private static String json(GenericRecord person) {
    ObjectNode json = JsonMapper.builder().build().createObjectNode();
    for (String text : List.of("id", "name", "org", "city", "country", "note")) {
      json.put(text, person.get(text).toString());
    }
    json.put("cost", (long) person.get("cost"));
    json.put("rating", (double) person.get("rating"));
    json.put("born", LocalDate.ofEpochDay((int) person.get("born")).toString());
    json.put("hiredAt", Instant.ofEpochMilli((long) person.get("hiredAt")).toString());
    json.put("active", (boolean) person.get("active"));
    ((Collection<?>) person.get("tags")).forEach(tag -> json.withArray("tags").add(tag.toString()));
    return json.toString();
  }

  /** Returns a random group. */
  Group any() {
    return groups.get(ThreadLocalRandom.current().nextInt(groups.size()));
  }

  Group get(int number) {
    return groups.get(number);
  }
}
