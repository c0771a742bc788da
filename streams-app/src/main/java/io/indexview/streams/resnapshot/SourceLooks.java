package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Look;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.build.ControlRecords;
import io.indexview.streams.build.TaskPlace;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the sources of one topic last said, as it concerns one partition. Not safe for use by
 * several threads.
 */
final class SourceLooks {
  private static final Logger LOGGER = LoggerFactory.getLogger(SourceLooks.class);
  private static final String WHAT = "source-states";

  private final TaskPlace place;
  private final ControlRecords records;
  private final AvroDeserializer deserializer;
  private final Map<String, byte[]> taken = new HashMap<>();
  private final Map<String, Optional<SourceState>> states = new TreeMap<>();

  /**
   * @param records {@code source-states}
   */
  SourceLooks(TaskPlace place, SchemaRegistry registry, ControlRecords records) {
    this.place = place;
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
    String ofTopic = "|" + place.topic() + "|";
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

  private Optional<SourceState> read(String key, byte[] value) {
    try {
      return Optional.of(SourceState.of(deserializer.deserialize(WHAT, value)));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      LOGGER.warn("{}: what {} says on source-states cannot be read", place, key, e);
      return Optional.empty();
    }
  }

  /**
   * The newest resnapshot by all sources of the topic: the records of one that did not take part
   * would seem to be gone. Empty if there is one that never did, or that cannot be understood.
   */
  Optional<Resnapshot> newest() {
    Collection<List<SourceState>> sources = sources();
    if (sources.isEmpty() || states.containsValue(Optional.empty())) {
      return Optional.empty();
    }
    long startedAtMs = Long.MAX_VALUE;
    long begin = Long.MAX_VALUE;
    long end = 0;
    for (List<SourceState> slices : sources) {
      List<Look> looks = slices.stream().flatMap(slice -> slice.lastForced().stream()).toList();
      if (looks.size() < slices.get(0).slices()) {
        return Optional.empty();
      }
      for (Look look : looks) {
        startedAtMs = Math.min(startedAtMs, look.startedAtMs());
        begin = Math.min(begin, look.begins().getOrDefault(place.partition(), 0L));
        end = Math.max(end, look.ends().getOrDefault(place.partition(), 0L));
      }
    }
    return Optional.of(new Resnapshot(startedAtMs, begin, end));
  }

  /** Sources of which a slice was not heard of since some time, ms since the epoch; by name. */
  List<String> silentSince(long timeMs) {
    return sources().stream()
        .filter(
            slices ->
                slices.size() < slices.get(0).slices()
                    || slices.stream().anyMatch(slice -> slice.heartbeatAtMs() < timeMs))
        .map(slices -> slices.get(0).source())
        .toList();
  }

  /** The states of each source; what was said of an earlier topic of the name does not count. */
  private Collection<List<SourceState>> sources() {
    List<SourceState> known = states.values().stream().flatMap(Optional::stream).toList();
    Optional<String> topicId =
        known.stream()
            .filter(state -> state.topicId().isPresent())
            .max(Comparator.comparingLong(SourceState::heartbeatAtMs))
            .flatMap(SourceState::topicId);
    return known.stream()
        .filter(state -> state.topicId().isEmpty() || state.topicId().equals(topicId))
        .collect(Collectors.groupingBy(SourceState::source, TreeMap::new, Collectors.toList()))
        .values()
        .stream()
        .map(SourceLooks::presentSlices)
        .toList();
  }

  /** A source that was cut anew says so in the newest of its states; older slices are history. */
  private static List<SourceState> presentSlices(List<SourceState> states) {
    int slices =
        states.stream()
            .max(Comparator.comparingLong(SourceState::heartbeatAtMs))
            .orElseThrow()
            .slices();
    return states.stream().filter(state -> state.slices() == slices).toList();
  }
}
