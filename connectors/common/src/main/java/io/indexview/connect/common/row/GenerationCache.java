package io.indexview.connect.common.row;

import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What a sink makes of the generation that the key schema of a view topic carries, made once per
 * topic. For one thread.
 *
 * @param <T> for instance a layout
 */
public final class GenerationCache<T> {
  private final Function<ViewGeneration, ? extends T> maker;
  private final Map<String, Known<T>> byTopic = new HashMap<>();

  public GenerationCache(Function<ViewGeneration, ? extends T> maker) {
    this.maker = Objects.requireNonNull(maker, "maker");
  }

  /**
   * What was made of the record's generation.
   *
   * @throws DataException if its key schema carries none, or one this release cannot read
   */
  public T of(SinkRecord record) {
    Schema schema = record.keySchema();
    String topic = record.originalTopic();
    Known<T> known = byTopic.get(topic);
    if (known != null && known.schema() == schema) {
      return known.made();
    }
    String json = parameter(topic, schema);
    T made = known != null && known.json().equals(json) ? known.made() : make(topic, json);
    byTopic.put(topic, new Known<>(schema, json, made));
    return made;
  }

  /**
   * What was made of a generation, without a record of its topic.
   *
   * @throws DataException if nothing can be made of it
   */
  public T of(ViewGeneration generation) {
    String topic = generation.viewTopic();
    String json = generation.toJson();
    Known<T> known = byTopic.get(topic);
    if (known != null && known.json().equals(json)) {
      return known.made();
    }
    T made = make(topic, json);
    byTopic.put(topic, new Known<>(null, json, made));
    return made;
  }

  /** What was made of all topics' generations, but the forgotten ones. */
  public Stream<T> made() {
    return byTopic.values().stream().map(Known::made);
  }

  /** Whether something was made of a topic's generation. */
  public boolean has(String topic) {
    return byTopic.containsKey(topic);
  }

  /**
   * The generation that a row is of.
   *
   * @throws DataException if its key schema carries none
   */
  public static ViewGeneration generation(SinkRecord row) {
    return ViewGeneration.fromJson(parameter(row.originalTopic(), row.keySchema()));
  }

  /** What was made of a topic's generation holds no longer. */
  public void forget(String topic) {
    byTopic.remove(topic);
  }

  private static String parameter(String topic, Schema schema) {
    String json =
        schema == null || schema.parameters() == null
            ? null
            : schema.parameters().get(ViewGeneration.PARAMETER);
    if (json == null) {
      throw new DataException(
          "topic %s: the key schema carries no %s; read view topics only, with key.converter=io.indexview.connect.common.avro.AvroConverter"
              .formatted(topic, ViewGeneration.PARAMETER));
    }
    return json;
  }

  private T make(String topic, String json) {
    try {
      return maker.apply(ViewGeneration.fromJson(json));
    } catch (IllegalArgumentException | LayoutException e) {
      throw new DataException("topic " + topic + ": " + e.getMessage(), e);
    }
  }

  private record Known<T>(Schema schema, String json, T made) {}
}
