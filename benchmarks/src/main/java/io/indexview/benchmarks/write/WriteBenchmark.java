package io.indexview.benchmarks.write;

import io.indexview.benchmarks.contest.Callers;
import io.indexview.benchmarks.contest.Callers.Plan;
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
import io.indexview.schemas.control.PartitionReads;
import io.indexview.schemas.serde.MessageReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.avro.generic.GenericRecord;
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
  static final int MIN_GROUPS = 5;

  private final Plan plan;
  private final List<Integer> recordCounts;
  private final KvDurability durability;
  private final Consumer<String> progress;

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
   * What the Kafka clients of this process have asked and sent so far.
   *
   * @param requests of producers, consumers and administrators
   * @param records that producers have sent
   */
  private record KafkaRequests(double requests, double records) {
    private static final List<String> CLIENTS =
        List.of(
            "kafka.producer:type=producer-metrics,client-id=*",
            "kafka.consumer:type=consumer-metrics,client-id=*",
            "kafka.admin.client:type=admin-client-metrics,client-id=*");

    static KafkaRequests now() throws JMException {
      MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
      double requests = 0;
      double records = 0;
      for (String client : CLIENTS) {
        for (ObjectName bean : beans.queryNames(new ObjectName(client), null)) {
          requests += (double) beans.getAttribute(bean, "request-total");
          if (client.startsWith("kafka.producer")) {
            records += (double) beans.getAttribute(bean, "record-send-total");
          }
        }
      }
      return new KafkaRequests(requests, records);
    }

    KafkaRequests minus(KafkaRequests before) {
      return new KafkaRequests(requests - before.requests, records - before.records);
    }

    KafkaRequests plus(KafkaRequests more) {
      return new KafkaRequests(requests + more.requests, records + more.records);
    }
  }

  /**
   * @param recordCounts how many records a write puts, contests for each
   * @param progress called with what happens
   */
  WriteBenchmark(
      Plan plan, List<Integer> recordCounts, KvDurability durability, Consumer<String> progress) {
    this.plan = plan;
    this.recordCounts = recordCounts;
    this.durability = durability;
    this.progress = progress;
  }

  /** Compares what is written, then how fast. */
  Table run() throws Exception {
    Table table =
        new Table(
            "writes of %,d people, embedded KV store (%s), against a %s"
                .formatted(plan.people(), durability, SENT),
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
    try (WriteStack stack = WriteStack.start(plan.directory(), durability);
        WritePipeline pipeline =
            new WritePipeline(stack.writer(), PIPELINE_THREADS, Integer.MAX_VALUE)) {
      Map<String, Writes> contestants = new LinkedHashMap<>();
      contestants.put(SENT, Writes.bareAndSent(stack.store(), stack.producer()));
      contestants.put(BARE, Writes.bare(stack.store()));
      contestants.put(LIBRARY, Writes.library(stack.writer()));
      contestants.put(PIPELINE, Writes.pipeline(pipeline, TOGETHER));
      contestants.put(REST, Writes.rest(stack.server().address()));
      for (int records : recordCounts) {
        PreparedPeople people =
            new PreparedPeople(plan.people(), records, People.TOPIC, stack.registry());
        compare(stack, contestants, people, records);
        for (int callers : plan.callers()) {
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
      Map<TopicPartition, Long> before = ends(stack);
      contestant.getValue().write(() -> group);
      Map<String, GenericRecord> published = events(stack, before);
      for (Person person : group.people()) {
        boolean stored =
            stack
                .store()
                .get(person.key())
                .filter(found -> Arrays.equals(found.value(), person.value()))
                .isPresent();
        boolean right =
            contestant.getKey().equals(BARE)
                ? published.isEmpty()
                : person.record().equals(published.get(person.key().toString()));
        if (!stored || !right) {
          throw new IOException(
              "%s, %d records: %s is %s the store, its event %s"
                  .formatted(
                      contestant.getKey(),
                      records,
                      person.key(),
                      stored ? "in" : "not in",
                      published.get(person.key().toString())));
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

  /** What came on the change topic, by the keys of the records. */
  private static Map<String, GenericRecord> events(
      WriteStack stack, Map<TopicPartition, Long> from) {
    Map<String, GenericRecord> published = new HashMap<>();
    MessageReader reader = new MessageReader(stack.registry());
    Map<TopicPartition, Long> ends = ends(stack);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(stack)) {
      consumer.assign(from.keySet());
      from.forEach(consumer::seek);
      new PartitionReads(consumer)
          .toEnds(
              ends,
              event -> {
                GenericRecord envelope =
                    (GenericRecord) reader.read(event.topic(), event.value()).value();
                published.put(
                    new String(event.key(), StandardCharsets.UTF_8),
                    (GenericRecord) envelope.get("after"));
              });
    }
    return published;
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
    try (Callers threads = new Callers(callers, plan.trial())) {
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
              .run(1, plan.rounds(), progress);
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
    account.records += effort.units();
    account.storeRequests += stack.counts().now().kv() - storeBefore;
    account.kafka = account.kafka.plus(KafkaRequests.now().minus(kafkaBefore));
    return effort;
  }
}
