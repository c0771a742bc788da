package io.indexview.demo.load;

import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.distributed.DistributedHerder;

/**
 * A Connect worker, and beside it an application that changes orders, as only one process can open
 * the embedded store. A byte on standard input ends the changes, its end the process.
 *
 * <p>Arguments: file of the worker's properties, address of the store, of the registry, file that
 * is made when the changes have ended, number of the run.
 */
final class WorkerMain {
  private WorkerMain() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, String> worker = properties(Path.of(arguments[0]));
    Map<String, Object> kafka = Map.of("bootstrap.servers", worker.get("bootstrap.servers"));
    KvStoreConfig storeConfig =
        KvStoreConfig.of(arguments[1]).withDurability(KvDurability.WRITE_NO_SYNC);
    ValueEncoder codec = ValueEncoder.avro(Orders.SCHEMA);
    try (KvStore store = KvStores.open(storeConfig);
        SchemaRegistry registry =
            SchemaRegistries.create(Map.of("schema.registry.url", arguments[2]));
        Writer writer = Writer.connect(store, writerConfig(), codec, kafka, registry)) {
      Connect<DistributedHerder> connect = new ConnectDistributed().startConnect(worker);
      try (MixedLoad load = MixedLoad.start(store, writer, codec, Integer.parseInt(arguments[4]))) {
        System.in.read();
        load.close();
        writer.flush();
        Files.createFile(Path.of(arguments[3]));
        System.in.read();
      } finally {
        connect.stop();
        connect.awaitStop();
      }
    }
  }

  private static Map<String, String> properties(Path file) throws Exception {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    return properties.stringPropertyNames().stream()
        .collect(Collectors.toMap(name -> name, properties::getProperty));
  }

  private static WriterConfig writerConfig() {
    return new WriterConfig(
        Orders.NAME,
        Orders.PREFIX,
        new Topics(Topics.DEFAULT_PREFIX).changes(Orders.NAME),
        WriterConfig.DEFAULT_INCARNATION,
        "worker-crash",
        WriterConfig.DEFAULT_MAX_IN_FLIGHT);
  }
}
