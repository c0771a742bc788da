package io.indexview.benchmarks.derive;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.derive.ChangeRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/**
 * Updates of people without end: each person in turn, then each once more, every event newer than
 * all before. The bytes of an event are used again for a later one, with another sequence in them.
 */
final class EventFeed {
  /** A time around which nothing expires. */
  static final long NOW = 1_700_000_000_000L;

  /** A sequence that no other eight bytes of an event are. */
  private static final long MARK = 0x5EA1_C0DE_0DD5_EED5L;

  private final List<Template> templates = new ArrayList<>();
  private int next;
  private long sequence;

  /**
   * @param sequenceAt where in the value the sequence is
   */
  private record Template(byte[] key, byte[] value, int sequenceAt) {}

  /**
   * @param changes after which the people are what they were at first
   */
  EventFeed(SchemaRegistry registry, int people, int changes) {
    EnvelopeWriter envelopes =
        new EnvelopeWriter(
            People.SCHEMA, new EnvelopeWriter.SourceInfo("kvstore", "people-store", "1"));
    AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false);
    Origin versioned = new Origin.Versioned(new SourceVersion("1/rg1", bytes(MARK)));
    for (int change = 0; change < changes; change++) {
      for (int person = 0; person < people; person++) {
        GenericRecord after = People.person(person, change);
        byte[] value =
            serializer.serialize(
                People.TOPIC, envelopes.write(Op.UPDATE, NOW, NOW, versioned, after));
        templates.add(
            new Template(
                People.key(person).getBytes(StandardCharsets.UTF_8), value, indexOfMark(value)));
      }
    }
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static int indexOfMark(byte[] value) {
    byte[] mark = bytes(MARK);
    for (int i = 0; i <= value.length - mark.length; i++) {
      if (Arrays.equals(value, i, i + mark.length, mark, 0, mark.length)) {
        return i;
      }
    }
    throw new IllegalStateException("the event does not hold its sequence as it is");
  }

  /** How many events there are before the people are what they were. */
  int size() {
    return templates.size();
  }

  /** The next event; good until it comes again. */
  ChangeRecord next() {
    Template template = templates.get(next);
    next = (next + 1) % templates.size();
    ByteBuffer.wrap(template.value()).putLong(template.sequenceAt(), ++sequence);
    return new ChangeRecord(People.TOPIC, 0, sequence, NOW, template.key(), template.value());
  }
}
