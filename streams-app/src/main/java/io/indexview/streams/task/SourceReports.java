package io.indexview.streams.task;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.task.TaskStores.ControlRecords;
import java.util.Iterator;
import java.util.LinkedHashMap;
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
  private final Map<String, byte[]> news = new LinkedHashMap<>();
  private final Map<String, SourceState> states = new TreeMap<>();
  private TopicSources all;
  private long seen = ControlRecords.START;

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
    String ofTopic = "|" + location.topic() + "|";
    seen =
        records.since(
            seen,
            (key, value) -> {
              if (key.contains(ofTopic)) {
                news.put(key, value);
              }
            });
    boolean isNew = !news.isEmpty();
    Iterator<Map.Entry<String, byte[]>> rest = news.entrySet().iterator();
    while (rest.hasNext()) {
      Map.Entry<String, byte[]> record = rest.next();
      all = null;
      if (record.getValue() == null) {
        states.remove(record.getKey());
      } else {
        states.put(record.getKey(), read(record.getKey(), record.getValue()));
      }
      rest.remove();
    }
    return isNew;
  }

  private SourceState read(String key, byte[] value) {
    try {
      return SourceState.of(deserializer.deserialize(WHAT, value));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      LOGGER.warn(
          "{}: what {} says on source-states cannot be read, so it counts as a source that has scanned nothing; upgrade the application if a newer source wrote it",
          location,
          key,
          e);
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
        Long.MAX_VALUE);
  }

  /** What they say, understood as a whole; what cannot be read is a source that did nothing. */
  TopicSources all() {
    if (all == null) {
      all = TopicSources.of(states.values(), location.topic());
    }
    return all;
  }
}
