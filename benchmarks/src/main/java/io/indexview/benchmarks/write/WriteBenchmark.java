package io.indexview.benchmarks.write;

import io.indexview.benchmarks.contest.Callers;
import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Latencies;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.write.PreparedPeople.Group;
import io.indexview.benchmarks.write.PreparedPeople.Person;
import io.indexview.client.write.WritePipeline;
import io.indexview.kvstore.KvDurability;
import io.indexview.schemas.serde.MessageReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Writes by REST and by the client library against bare puts and bare puts followed by acknowledged
 * sends, on the same store and broker.
 */
final class WriteBenchmark {
  private static final String SENT = "put, then acknowledged send";
  private static final String BARE = "bare put";
  private static final String LIBRARY = "client library";
  private static final String PIPELINE = "client library, 16 writes at a time";
  private static final String REST = "REST";

  /** Writes that a caller of the pipeline submits before it waits. */
  private static final int TOGETHER = 16;

  private static final int PIPELINE_THREADS = 4;

  /** What each contestant writes before anything is measured. */
  static final int LEAST_GROUPS = 5;

  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final Settings settings;
  private final Consumer<String> progress;

  /**
   * What is done.
   *
   * @param parent directory for everything; null: the system's
   * @param trial how long a contestant writes in a round
   * @param records of a write, contests for each
   * @param callers at once, likewise
   */
  record Settings(
      Path parent,
      int rounds,
      Duration trial,
      int people,
      List<Integer> records,
      List<Integer> callers,
      KvDurability durability) {}

  /** What a contestant has used and how long its writes took, by trial. */
  private static final class Account {
    private final List<Latencies> latencies = new ArrayList<>();
    private long records;
    private long storeRequests;
    private KafkaRequests kafka = new KafkaRequests(0, 0);

    double millis(double share) {
      // The first was to warm up.
      double[] all =
          latencies.stream().skip(1).mapToDouble(one -> one.millis(share)).sorted().toArray();
      return all[all.length / 2];
    }
  }

  /**
   * @param progress told what happens
   */
  WriteBenchmark(Settings settings, Consumer<String> progress) {
    this.settings = settings;
    this.progress = progress;
  }

  /** Compares what is written, then how fast. */
  Table run() throws Exception {
    Table table =
        new Table(
            "writes of %,d people, embedded KV store (%s), against a %s"
                .formatted(settings.people(), settings.durability(), SENT),
            "records",
            "callers",
            "contestant",
            "records/s",
            "ratio",
            "p50 ms",
            "p99 ms",
            "CPU us/record",
            "CPU ratio",
            "store requests/record",
            "events/record",
            "Kafka requests/record");
    try (WriteStack stack = WriteStack.start(settings.parent(), settings.durability());
        WritePipeline pipeline =
            new WritePipeline(stack.writer(), PIPELINE_THREADS, Integer.MAX_VALUE)) {
      Map<String, Writes> contestants = new LinkedHashMap<>();
      contestants.put(SENT, Writes.bareAndSent(stack.store(), stack.producer()));
      contestants.put(BARE, Writes.bare(stack.store()));
      contestants.put(LIBRARY, Writes.library(stack.writer()));
      contestants.put(PIPELINE, Writes.pipeline(pipeline, TOGETHER));
      contestants.put(REST, Writes.rest(stack.server().address()));
      for (int records : settings.records()) {
        PreparedPeople people =
            new PreparedPeople(settings.people(), records, People.TOPIC, stack.registry());
        compare(stack, contestants, people, records);
        for (int callers : settings.callers()) {
          contest(table, stack, contestants, people, records, callers);
        }
      }
    }
    return table;
  }

  /** Rates of different work could not be compared. */
  private void compare(
      WriteStack stack, Map<String, Writes> contestants, PreparedPeople people, int records)
      throws Exception {
    int number = 0;
    for (Map.Entry<String, Writes> contestant : contestants.entrySet()) {
      Group group = people.get(number++);
      Map<String, GenericRecord> told = new HashMap<>();
      Map<TopicPartition, Long> before = ends(stack);
      contestant.getValue().write(() -> group);
      events(stack, before, told);
      for (Person person : group.people()) {
        boolean stored =
            stack
                .store()
                .get(person.key())
                .filter(found -> Arrays.equals(found.value(), person.value()))
                .isPresent();
        boolean heard =
            contestant.getKey().equals(BARE)
                ? told.isEmpty()
                : person.record().equals(told.get(person.key().toString()));
        if (!stored || !heard) {
          throw new IOException(
              "%s, %d records: %s is %s the store, its event %s"
                  .formatted(
                      contestant.getKey(),
                      records,
                      person.key(),
                      stored ? "in" : "not in",
                      told.get(person.key().toString())));
        }
      }
    }
    progress.accept("write, %d records: all write the same".formatted(records));
  }

  private static Map<TopicPartition, Long> ends(WriteStack stack) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(stack)) {
      return consumer.endOffsets(
          consumer.partitionsFor(People.TOPIC).stream()
              .map(partition -> new TopicPartition(People.TOPIC, partition.partition()))
              .toList());
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(WriteStack stack) {
    return new KafkaConsumer<>(
        stack.kafka(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static void events(
      WriteStack stack, Map<TopicPartition, Long> from, Map<String, GenericRecord> told)
      throws IOException {
    MessageReader reader = new MessageReader(stack.registry());
    Map<TopicPartition, Long> ends = ends(stack);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(stack)) {
      consumer.assign(from.keySet());
      from.forEach(consumer::seek);
      long until = System.nanoTime() + SILENCE.toNanos();
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<byte[], byte[]> event : consumer.poll(Duration.ofMillis(100))) {
          GenericRecord envelope =
              (GenericRecord) reader.read(event.topic(), event.value()).value();
          told.put(
              new String(event.key(), StandardCharsets.UTF_8),
              (GenericRecord) envelope.get("after"));
        }
        if (System.nanoTime() - until > 0) {
          throw new IOException("the events were not read to their end");
        }
      }
    }
  }

  private void contest(
      Table table,
      WriteStack stack,
      Map<String, Writes> contestants,
      PreparedPeople people,
      int records,
      int callers)
      throws Exception {
    Map<String, Account> accounts = new HashMap<>();
    Outcome outcome;
    try (Callers threads = new Callers(callers, settings.trial())) {
      outcome =
          Contest.alternating(
                  "write, %d records, %d callers".formatted(records, callers),
                  contestants.entrySet().stream()
                      .map(
                          one ->
                              new Contestant(
                                  one.getKey(),
                                  () ->
                                      trial(
                                          threads,
                                          stack,
                                          one.getValue(),
                                          people,
                                          accounts.computeIfAbsent(
                                              one.getKey(), unused -> new Account()))))
                      .toList())
              .run(1, settings.rounds(), progress);
    }
    for (String name : contestants.keySet()) {
      Account account = accounts.get(name);
      double units = account.records;
      table.row(
          Integer.toString(records),
          Integer.toString(callers),
          name,
          Table.whole(outcome.rate(name)),
          outcome.ratio(name).toString(),
          Table.ratio(account.millis(0.5)),
          Table.ratio(account.millis(0.99)),
          Table.whole(outcome.cpuMicros(name)),
          outcome.cpuRatio(name).toString(),
          Table.ratio(account.storeRequests / units),
          Table.ratio(account.kafka.records() / units),
          Table.ratio(account.kafka.requests() / units));
    }
  }

  private static Effort trial(
      Callers threads, WriteStack stack, Writes writes, PreparedPeople people, Account account)
      throws Exception {
    Latencies latencies = new Latencies();
    account.latencies.add(latencies);
    long storeBefore = stack.counts().now().kv();
    KafkaRequests kafkaBefore = KafkaRequests.now();
    Effort effort =
        threads.run(
            () -> {
              long start = System.nanoTime();
              int written = writes.write(people::any);
              latencies.add(System.nanoTime() - start);
              return written;
            });
    KafkaRequests used = KafkaRequests.now().minus(kafkaBefore);
    account.records += effort.units();
    account.storeRequests += stack.counts().now().kv() - storeBefore;
    account.kafka =
        new KafkaRequests(
            account.kafka.requests() + used.requests(), account.kafka.records() + used.records());
    return effort;
  }
}
