package io.indexview.client.write;

import io.indexview.client.admin.PublishedValues;
import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.write.MultiDelete.MultiDeleteException;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.WriteChecks;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Nesting;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes primary records to the store, then tells Kafka of each with the store's own version, so
 * that views follow within milliseconds and not only with the next scan. Safe for use by several
 * threads; writes of one major path take their turns, and their events go to Kafka in the order of
 * their versions.
 *
 * <p>A method returns when the record is in the store; the event is on its way then, see {@link
 * Written#published}. Its failure never fails the write. When {@link WriterConfig#maxInFlight}
 * events are on their way, writes wait before they touch the store.
 *
 * <p>All writes throw {@link io.indexview.kvstore.KvStoreException}: then nothing is published,
 * also not of a write that happened although the store did not answer, which the next scan finds. A
 * key outside the record set, a record of another schema, and one that the format cannot hold, are
 * an {@link IllegalArgumentException}, before anything is written. In the format {@code
 * avro_registry} a first write also throws what the registry does.
 */
public final class Writer implements AutoCloseable {
  private static final int LOCKS = 256;

  private final KvStore store;
  private final WriterConfig config;
  private final ValueEncoder encoder;
  private final Nesting nesting;
  private final ChangePublisher publisher;
  private final Lock[] locks =
      Stream.generate(ReentrantLock::new).limit(LOCKS).toArray(Lock[]::new);

  /**
   * @param store stays open
   * @param producer with {@link #producerSettings}; closed with this
   * @param registry stays open
   */
  public Writer(
      KvStore store,
      WriterConfig config,
      ValueEncoder encoder,
      Producer<byte[], byte[]> producer,
      SchemaRegistry registry,
      Clock clock) {
    this.store = store;
    this.config = config;
    this.encoder = encoder;
    this.nesting = new Nesting(encoder.schema());
    this.publisher = new ChangePublisher(config, encoder.schema(), producer, registry, clock);
  }

  /**
   * Connects to a cluster, in the format and with the schema that the source of the record set
   * reads its values with, which {@link #schema} tells. What the source has published of them is
   * read once: if it gets another format, connect its writers anew.
   *
   * @param store stays open
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param topics of the installation
   * @param registry stays open
   * @throws io.indexview.client.admin.PublishedValues.ValuesUnknownException if no source says it
   */
  public static Writer connect(
      KvStore store,
      WriterConfig config,
      Map<String, Object> kafka,
      Topics topics,
      SchemaRegistry registry) {
    try (SourceAdmin sources = SourceAdmin.connect(kafka, topics, registry)) {
      ValueConfig values = new PublishedValues(sources::list).of(config.topic());
      return connect(store, config, ValueEncoder.of(values, registry), kafka, registry);
    }
  }

  /**
   * Connects to a cluster, in a format that the caller vouches for: the source of the record set
   * must read values so.
   *
   * @param store stays open
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static Writer connect(
      KvStore store,
      WriterConfig config,
      ValueEncoder encoder,
      Map<String, Object> kafka,
      SchemaRegistry registry) {
    return new Writer(
        store,
        config,
        encoder,
        new KafkaProducer<>(
            producerSettings(kafka), new ByteArraySerializer(), new ByteArraySerializer()),
        registry,
        Clock.systemUTC());
  }

  /**
   * Settings of a producer of change events: those given, but for what order and places of events
   * rest on. Unless {@code linger.ms} is given an event waits for no others: many who write at once
   * fill batches while the broker answers, and one who waits for a token does not wait for nothing.
   */
  public static Map<String, Object> producerSettings(Map<String, Object> given) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 30_000);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.putAll(given);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // The source's producer hashes keys as Kafka does by default: one record, one partition.
    settings.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
    settings.put(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, false);
    return settings;
  }

  /** Schema of the records that this writes. */
  public Schema schema() {
    return encoder.schema();
  }

  /** Creates or replaces. */
  public Written put(KvKey key, GenericRecord record) {
    return write(new WriteOperation.Put(key, record)).orElseThrow();
  }

  /** Creates; empty if the key has a record already, nothing is written then. */
  public Optional<Written> putIfAbsent(KvKey key, GenericRecord record) {
    return write(new WriteOperation.PutIfAbsent(key, record));
  }

  /** Replaces; empty if the key's record does not have the version, nothing is written then. */
  public Optional<Written> putIfVersion(KvKey key, GenericRecord record, KvVersion expected) {
    return write(new WriteOperation.PutIfVersion(key, record, expected));
  }

  /** Removes; empty if there was nothing. */
  public Optional<Written> delete(KvKey key) {
    return write(new WriteOperation.Delete(key));
  }

  /** Removes; empty if the key's record does not have the version, nothing is removed then. */
  public Optional<Written> deleteIfVersion(KvKey key, KvVersion expected) {
    return write(new WriteOperation.DeleteIfVersion(key, expected));
  }

  /** One operation; empty if its condition does not hold, or it is a delete and finds nothing. */
  public Optional<Written> write(WriteOperation operation) {
    try {
      return execute(List.of(operation)).get(0);
    } catch (KvExecutionException e) {
      return Optional.empty();
    }
  }

  /**
   * Executes all operations or none. All keys must be different and share one major path.
   *
   * @return one result for each operation, in their order; empty for a delete that found nothing
   * @throws KvExecutionException naming an operation whose condition did not hold
   * @throws IllegalArgumentException also for more operations than may be in flight
   */
  public List<Optional<Written>> execute(List<WriteOperation> operations) {
    List<KvOperation> steps = operations.stream().map(this::step).toList();
    WriteChecks.requireExecutable(steps);
    publisher.reserve(operations.size());
    Lock lock = locks[Math.floorMod(steps.get(0).key().major().hashCode(), LOCKS)];
    lock.lock();
    try {
      return publish(operations, run(steps));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes records that begin with a partial key, those of a major path in one transaction, in
   * whatever order the store gives the major paths. Those of a major path that do not all fit in
   * stay for the next call; if there are no others, as many go as fit. Large objects, rows of
   * tables and records of other record sets stay.
   *
   * @param limit records, from 1 to what may be in flight
   * @param time when it is over and something is removed, no further major path is begun
   * @throws MultiDeleteException if the store fails when some are removed
   */
  public MultiDelete multiDelete(KvPartialKey partial, int limit, Duration time) {
    requireOwnPrefix(partial.start());
    if (limit < 1 || limit > config.maxInFlight()) {
      throw new IllegalArgumentException(
          "limit %d: use 1 to %d (maxInFlight)".formatted(limit, config.maxInFlight()));
    }
    return new MultiDelete.Call(this, store, config.keys(), partial, limit).run(time);
  }

  private List<KvResult> run(List<KvOperation> steps) {
    boolean written = false;
    try {
      List<KvResult> results = store.execute(steps);
      written = true;
      return results;
    } finally {
      if (!written) {
        publisher.release(steps.size());
      }
    }
  }

  private List<Optional<Written>> publish(List<WriteOperation> operations, List<KvResult> results) {
    List<Optional<Written>> written = new ArrayList<>();
    ChangePublisher.Call call = publisher.call();
    for (int i = 0; i < results.size(); i++) {
      KvKey key = operations.get(i).key();
      KvResult result = results.get(i);
      if (result.version().isPresent()) {
        Op op = result.previousVersion().isPresent() ? Op.UPDATE : Op.CREATE;
        GenericRecord record = operations.get(i).newRecord().orElseThrow();
        written.add(Optional.of(call.publish(key, op, result.version().get(), record)));
      } else if (result.previousVersion().isPresent()) {
        KvVersion removed = result.previousVersion().get();
        written.add(Optional.of(call.publish(key, Op.DELETE, removed, null)));
      } else {
        publisher.release(1);
        written.add(Optional.empty());
      }
    }
    return written;
  }

  private KvOperation step(WriteOperation operation) {
    KvKey key = operation.key();
    requireOwn(key);
    operation.newRecord().ifPresent(this::requireReadable);
    byte[] value = operation.newRecord().map(encoder::encode).orElse(null);
    if (operation instanceof WriteOperation.Put) {
      return new KvOperation.Put(key, value);
    }
    if (operation instanceof WriteOperation.PutIfAbsent) {
      return new KvOperation.PutIfAbsent(key, value);
    }
    if (operation instanceof WriteOperation.PutIfVersion put) {
      return new KvOperation.PutIfVersion(key, value, put.expected());
    }
    if (operation instanceof WriteOperation.DeleteIfVersion delete) {
      return new KvOperation.DeleteIfVersion(key, delete.expected());
    }
    return new KvOperation.Delete(key);
  }

  private void requireOwn(KvKey key) {
    requireOwnPrefix(key);
    if (!config.keys().hasMinorOf(key)) {
      throw new IllegalArgumentException(
          "key %s is not of record set %s, whose minor paths are %s"
              .formatted(key, config.recordSet(), config.keys().minorTexts()));
    }
  }

  private void requireOwnPrefix(KvKey key) {
    if (!config.keys().prefix().isMajorPrefixOf(key)) {
      throw new IllegalArgumentException(
          "key %s is not of record set %s, whose keys begin with %s"
              .formatted(key, config.recordSet(), config.keys().prefix()));
    }
  }

  /** What no reader takes must not get into the store. */
  private void requireReadable(GenericRecord record) {
    if (nesting.isTooDeep(record)) {
      throw new IllegalArgumentException(
          "a record that nests more than %d levels deep; views cannot read it"
              .formatted(Nesting.MAX_LEVELS));
    }
  }

  /** Waits until every event that is on its way has arrived or failed. */
  public void flush() {
    publisher.flush();
  }

  /** Waits likewise, then ends; the producer's {@code delivery.timeout.ms} bounds it. */
  @Override
  public void close() {
    publisher.close();
  }
}
