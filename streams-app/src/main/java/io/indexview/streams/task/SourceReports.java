package io.indexview.streams.task;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.task.TaskStores.ControlRecords;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the sources of one topic last said, as it concerns one partition. Not safe for use by
 * several threads.
 */
final class SourceReports {
  private static final Logger LOGGER = LoggerFactory.getLogger(SourceReports.class);
  private static final String WHAT = "source-states";

  private final TaskLocation location;
  private final ControlRecords records;
  private final AvroDeserializer deserializer;
  private final Map<String, byte[]> taken = new HashMap<>();
  private final Map<String, SourceState> states = new TreeMap<>();

  /**
   * @param records {@code source-states}
   */
  SourceReports(TaskLocation location, SchemaRegistry registry, ControlRecords records) {
    this.location = location;
    this.records = records;
    this.deserializer = new AvroDeserializer(registry, ControlSchemas.SOURCE_STATE);
  }

  /**
   * Reads what is new.
   *
   * @return whether there was something new
   * @throws RegistryException if the registry failed; to be called again
   */
  boolean refresh() {
    Map<String, byte[]> current = new HashMap<>();
    String ofTopic = "|" + location.topic() + "|";
    records.forEach(
        (key, value) -> {
          if (key.contains(ofTopic)) {
            current.put(key, value);
          }
        });
    boolean isNew = taken.keySet().retainAll(current.keySet());
    states.keySet().retainAll(current.keySet());
    for (Map.Entry<String, byte[]> record : current.entrySet()) {
      if (!Arrays.equals(record.getValue(), taken.get(record.getKey()))) {
        states.put(record.getKey(), read(record.getKey(), record.getValue()));
        taken.put(record.getKey(), record.getValue());
        isNew = true;
      }
    }
    return isNew;
  }

  private SourceState read(String key, byte[] value) {
    try {
      return SourceState.of(deserializer.deserialize(WHAT, value));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      LOGGER.warn("{}: what {} says on source-states cannot be read", location, key, e);
      return unreadable(key);
    }
  }

  /** A source of which nothing is known but its name: nobody can tell what it has. */
  private SourceState unreadable(String key) {
    String source = key.substring(0, key.indexOf("|" + location.topic() + "|"));
    return new SourceState(
        source,
        location.topic(),
        Optional.empty(),
        key,
        1,
        Optional.empty(),
        Optional.empty(),
        Long.MAX_VALUE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** What they say, understood as a whole; what cannot be read is a source that did nothing. */
  TopicSources all() {
    return TopicSources.of(states.values(), location.topic());
  }
}
