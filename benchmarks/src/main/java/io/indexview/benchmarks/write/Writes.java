package io.indexview.benchmarks.write;

import io.indexview.benchmarks.command.BlockingHttp;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.write.PreparedPeople.Group;
import io.indexview.benchmarks.write.PreparedPeople.Person;
import io.indexview.client.write.WriteOperation;
import io.indexview.client.write.WritePipeline;
import io.indexview.client.write.Writer;
import io.indexview.client.write.Written;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvStore;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** One way to write groups of people. Safe for use by many threads. */
interface Writes {
  /** Returns how many records it has written, when all are done. */
  int write(Supplier<Group> groups) throws Exception;

  /** Puts of ready-made bytes, and no event. */
  static Writes bare(KvStore store) {
    return groups -> {
      Group group = groups.get();
      if (group.size() == 1) {
        Person person = group.people().get(0);
        store.put(person.key(), person.value());
      } else {
        List<KvOperation> puts = new ArrayList<>(group.size());
        for (Person person : group.people()) {
          puts.add(new KvOperation.Put(person.key(), person.value()));
        }
        store.execute(puts);
      }
      return group.size();
    };
  }

  /** Puts to the store, and then sends ready-made events, which the broker acknowledges. */
  static Writes bareAndSent(KvStore store, Producer<byte[], byte[]> producer) {
    Writes puts = bare(store);
    return groups -> {
      Group group = groups.get();
      puts.write(() -> group);
      List<Future<RecordMetadata>> sent = new ArrayList<>(group.size());
      for (Person person : group.people()) {
        sent.add(
            producer.send(new ProducerRecord<>(People.TOPIC, person.eventKey(), person.event())));
      }
      for (Future<RecordMetadata> one : sent) {
        one.get();
      }
      return group.size();
    };
  }

  /** The client library, until the events are acknowledged. */
  static Writes library(Writer writer) {
    return groups -> {
      Group group = groups.get();
      if (group.size() == 1) {
        Person person = group.people().get(0);
        writer.put(person.key(), person.record()).token();
      } else {
        writer.execute(puts(group)).forEach(written -> written.orElseThrow().token());
      }
      return group.size();
    };
  }

  /**
   * Several writes of the client library at a time, all submitted before the first is waited for.
   */
  static Writes pipeline(WritePipeline pipeline, int together) {
    return groups -> {
      List<CompletableFuture<List<Optional<Written>>>> submitted = new ArrayList<>(together);
      for (int i = 0; i < together; i++) {
        submitted.add(pipeline.submit(puts(groups.get())));
      }
      int records = 0;
      for (CompletableFuture<List<Optional<Written>>> write : submitted) {
        for (Optional<Written> written : write.get()) {
          written.orElseThrow().token();
          records++;
        }
      }
      return records;
    };
  }

  private static List<WriteOperation> puts(Group group) {
    List<WriteOperation> puts = new ArrayList<>(group.size());
    for (Person person : group.people()) {
      puts.add(new WriteOperation.Put(person.key(), person.record()));
    }
    return puts;
  }

  /** The server over HTTP/1.1. */
  static Writes rest(URI server) {
    BlockingHttp http = new BlockingHttp(server);
    return groups -> {
      Group group = groups.get();
      String set = "/records/" + People.NAME;
      if (group.size() == 1) {
        http.post(set, "{" + body(group.people().get(0)) + "}");
      } else {
        http.post(set + "/execute", "{\"operations\":[" + all(group) + "]}");
      }
      return group.size();
    };
  }

  private static String all(Group group) {
    return group.people().stream()
        .map(person -> "{\"op\":\"put\"," + body(person) + "}")
        .collect(Collectors.joining(","));
  }

  private static String body(Person person) {
    return "\"key\":\"%s\",\"value\":%s".formatted(person.key(), person.json());
  }
}
