package io.indexview.streams.task;

import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.ViewRepair;
import io.indexview.schemas.control.ViewRepair.Repaired;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.FollowedView;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.state.Entries;
import io.indexview.streams.task.TaskStores.ControlRecords;
import io.indexview.views.layout.UnexpectedRemoval;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rows anew that a verification found wrong, in the order of events: the revision of their
 * record rises, so that they win over whatever the target holds. Rows of records that nobody knows
 * are removed by the task that events of such a record would come to: it makes a tombstone of the
 * record first, so that it is in order with whatever comes of it later. Nobody else's rows are
 * touched. Not safe for use by several threads.
 *
 * <p>What is none of the rows is nothing that a record owns: one task tells the sink to remove it,
 * on the view's topic ({@link UnexpectedRemoval} says why that is safe).
 *
 * <p>After a start it does again what still lies on {@code view-repairs}, which does no harm.
 */
final class RowRepairs {
  private static final Logger LOGGER = LoggerFactory.getLogger(RowRepairs.class);
  private static final String WHAT = "view-repairs";

  private final TaskLocation location;
  private final AvroDeserializer deserializer;
  private final MessageWriter commands;
  private final String commandSubject;
  private final Entries entries;
  private final ControlRecords records;
  private final RecordSetDeriver deriver;
  private final GenerationBuilds builds;
  private final TaskOutput out;
  private final Time time;
  private final RegistryRetry taking;
  private final Map<String, byte[]> news = new LinkedHashMap<>();
  private final Deque<Batch> batches = new ArrayDeque<>();
  private long seen = ControlRecords.START;

  /** A batch of repairs that is under way. */
  private static final class Batch {
    private final ViewRepair repair;
    private final RegistryRetry reporting;
    private final Iterator<Repaired> rest;

    /** Rows whose record was not found by its primary key, by that key. */
    private final Map<String, Repaired> unknown = new HashMap<>();

    /** Key of the last entry that was looked at for them. */
    private byte[] cursor;

    private OwnKeys own;

    Batch(TaskLocation location, ViewRepair repair, Time time) {
      this.repair = repair;
      this.reporting = new RegistryRetry(location, "report a repair", time);
      this.rest = repair.records().iterator();
    }

    OwnKeys own(Entries entries, int partition) {
      if (own == null) {
        own = OwnKeys.of(entries, partition, repair.partitions());
      }
      return own;
    }
  }

  /**
   * @param commandSubject where the schema of commands to sinks is registered
   */
  RowRepairs(
      TaskLocation location,
      SchemaRegistry registry,
      String commandSubject,
      Entries entries,
      ControlRecords records,
      RecordSetDeriver deriver,
      GenerationBuilds builds,
      TaskOutput out,
      Time time) {
    this.location = location;
    this.time = time;
    this.deserializer = new AvroDeserializer(registry, ControlSchemas.VIEW_REPAIR);
    this.commands = new MessageWriter(registry, true);
    this.commandSubject = commandSubject;
    this.entries = entries;
    this.records = records;
    this.deriver = deriver;
    this.builds = builds;
    this.out = out;
    this.taking = new RegistryRetry(location, "take repairs", time);
  }

  /** Takes what is asked for. */
  void poll() {
    seen = records.since(seen, news::put);
    if (!news.isEmpty()) {
      taking.attempt(this::takeNews);
    }
  }

  private void takeNews() {
    Iterator<Map.Entry<String, byte[]>> rest = news.entrySet().iterator();
    while (rest.hasNext()) {
      Map.Entry<String, byte[]> record = rest.next();
      take(record.getKey(), record.getValue());
      rest.remove();
    }
  }

  private void take(String key, byte[] value) {
    batches.removeIf(batch -> batch.repair.key().equals(key));
    if (value != null) {
      read(key, value)
          .filter(repair -> view(repair).isPresent())
          .ifPresent(repair -> batches.add(new Batch(location, repair, time)));
    }
  }

  private Optional<ViewRepair> read(String key, byte[] value) {
    try {
      return Optional.of(ViewRepair.of(deserializer.deserialize(WHAT, value)));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      LOGGER.error(
          "{}: repair {} cannot be read and is ignored; upgrade the application if a newer server asked for it",
          location,
          key,
          e);
      return Optional.empty();
    }
  }

  private Optional<FollowedView> view(ViewRepair repair) {
    return builds.view(new GenerationKey(repair.view(), repair.generation()));
  }

  boolean hasWork() {
    return !batches.isEmpty();
  }

  /**
   * Works on one record or entry at least.
   *
   * @param expired whether the time of the chunk is over; asked after each of them
   */
  void run(BooleanSupplier expired, long nowMs) {
    Batch batch = batches.element();
    Optional<FollowedView> view = view(batch.repair);
    if (view.isEmpty()) {
      batches.remove();
    } else if (batch.reporting.isDue() && isDone(batch, view.get(), expired, nowMs)) {
      boolean isReported =
          batch.reporting.attempt(
              () -> {
                tellSink(batch.repair, view.get(), nowMs);
                report(batch.repair, nowMs);
              });
      if (isReported) {
        batches.remove();
      }
    }
  }

  private boolean isDone(Batch batch, FollowedView view, BooleanSupplier expired, long nowMs) {
    while (batch.rest.hasNext()) {
      Repaired record = batch.rest.next();
      if (!repair(record.primaryKey().getBytes(StandardCharsets.UTF_8), record, view, nowMs)) {
        batch.unknown.put(record.primaryKey(), record);
      }
      if (expired.getAsBoolean()) {
        return false;
      }
    }
    return batch.unknown.isEmpty()
        || (hasFramedKeys()
            ? scan(batch, view, expired, nowMs)
            : removeRowsOfNobody(batch, view, expired, nowMs));
  }

  private boolean repair(byte[] stateKey, Repaired record, FollowedView view, long nowMs) {
    byte[] stored = entries.get(stateKey);
    if (stored == null) {
      return false;
    }
    Entry entry = EntryCodec.decode(stored);
    if (!deriver.primaryKey(stateKey, entry).equals(record.primaryKey())) {
      return false;
    }
    Entry raised = OrderGuard.raised(entry, record.above(), nowMs);
    deriver.repair(stateKey, raised, view, record.extraRows(), out);
    entries.put(stateKey, EntryCodec.encode(raised));
    return true;
  }

  /** Nobody can tell such a key from its text; the entries of one topic are mostly alike. */
  private boolean hasFramedKeys() {
    boolean[] framed = {false};
    entries.scan(
        null,
        (key, entry) -> {
          framed[0] = EntryCodec.decode(entry).keySchemaId() != 0;
          return false;
        });
    return framed[0];
  }

  private boolean removeRowsOfNobody(
      Batch batch, FollowedView view, BooleanSupplier expired, long nowMs) {
    OwnKeys own = batch.own(entries, location.partition());
    Iterator<Repaired> unknown = batch.unknown.values().iterator();
    while (unknown.hasNext()) {
      Repaired record = unknown.next();
      unknown.remove();
      byte[] stateKey = record.primaryKey().getBytes(StandardCharsets.UTF_8);
      // One that came meanwhile has rows of its own; the next verification finds what is left.
      if (!record.extraRows().isEmpty()
          && own.contains(stateKey)
          && entries.get(stateKey) == null) {
        Entry nobody = OrderGuard.ofNobody(record.above(), nowMs);
        if (deriver.repair(stateKey, nobody, view, record.extraRows(), out) > 0) {
          entries.put(stateKey, EntryCodec.encode(nobody));
        }
      }
      if (expired.getAsBoolean()) {
        return batch.unknown.isEmpty();
      }
    }
    return true;
  }

  /** Whether the last entry was looked at. */
  private boolean scan(Batch batch, FollowedView view, BooleanSupplier expired, long nowMs) {
    Map<byte[], Repaired> found = new LinkedHashMap<>();
    boolean whole =
        entries.scan(
            batch.cursor,
            (key, entry) -> {
              Repaired record =
                  batch.unknown.remove(deriver.primaryKey(key, EntryCodec.decode(entry)));
              if (record != null) {
                found.put(key, record);
              }
              batch.cursor = key;
              return !batch.unknown.isEmpty() && !expired.getAsBoolean();
            });
    found.forEach((key, record) -> repair(key, record, view, nowMs));
    return whole || batch.unknown.isEmpty();
  }

  /**
   * Asks the sink to remove unexpected rows. The command has no value, so that compaction may drop
   * it once all sinks have it.
   */
  private void tellSink(ViewRepair repair, FollowedView view, long nowMs) {
    boolean isOwn = location.partition() == repair.batch() % Math.max(1, repair.partitions());
    if (isOwn && !repair.unexpected().isEmpty()) {
      GenericRecord command = new GenericData.Record(ControlSchemas.VIEW_TOPIC_CONTROL);
      command.put("command", UnexpectedRemoval.COMMAND);
      command.put(
          "description",
          new UnexpectedRemoval(view.frozen().generation(), repair.unexpected()).toJson());
      byte[] key = commands.write(commandSubject, ControlSchemas.VIEW_TOPIC_CONTROL, command);
      out.row(view.frozen(), key, null, 0, nowMs);
    }
  }

  private void report(ViewRepair repair, long nowMs) {
    out.report(
        new RepairProgress(
            repair.view(),
            repair.generation(),
            location.partition(),
            repair.repair(),
            repair.batch(),
            nowMs));
  }

  /**
   * Says of primary keys that the state does not have whether events of their records would come to
   * this task. Nobody can tell for sure how a topic's producers place keys, but the entries show
   * whether it is Kafka's way: then all of them are where it places them.
   */
  static final class OwnKeys {
    private static final int SAMPLE = 200;

    /**
     * Fewest entries that show how keys are placed: with two partitions so many lie where Kafka
     * places them by chance only once in a million times.
     */
    private static final int MIN_RECORDS = 20;

    private final int partition;

    /** 0: nobody can tell. */
    private final int partitions;

    private OwnKeys(int partition, int partitions) {
      this.partition = partition;
      this.partitions = partitions;
    }

    /**
     * Looks at some entries.
     *
     * @param partitions how many the topic has; 0: not known
     */
    static OwnKeys of(Entries entries, int partition, int partitions) {
      int[] seen = {0};
      boolean[] fits = {partitions > 0};
      if (fits[0]) {
        entries.scan(
            null,
            (key, entry) -> {
              seen[0]++;
              fits[0] =
                  EntryCodec.decode(entry).keySchemaId() == 0
                      && isPlaced(key, partition, partitions);
              return fits[0] && seen[0] < SAMPLE;
            });
      }
      boolean known = fits[0] && seen[0] >= (partitions == 1 ? 1 : MIN_RECORDS);
      return new OwnKeys(partition, known ? partitions : 0);
    }

    boolean contains(byte[] stateKey) {
      return partitions > 0 && isPlaced(stateKey, partition, partitions);
    }

    /** Whether Kafka's default partitioner (murmur2) places a key in a partition. */
    private static boolean isPlaced(byte[] key, int partition, int partitions) {
      return partitions == 1 || Utils.toPositive(Utils.murmur2(key)) % partitions == partition;
    }
  }
}
