package io.indexview.local;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A single KRaft broker that is its own controller. */
final class BrokerPart implements Part {
  private static final int NODE_ID = 1;

  private final PartContext context;
  private KafkaRaftServer server;

  BrokerPart(PartContext context) {
    this.context = context;
  }

  @Override
  public PartName name() {
    return PartName.BROKER;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of();
  }

  @Override
  public void start() throws Exception {
    Path logs = context.directory().of("kafka");
    format(logs);
    server = new KafkaRaftServer(KafkaConfig.fromProps(properties(logs), false), Time.SYSTEM);
    server.startup();
  }

  private static void format(Path logs) throws Exception {
    if (Files.exists(logs.resolve("meta.properties"))) {
      return;
    }
    try (PrintStream silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      new Formatter()
          .setPrintStream(silent)
          .setNodeId(NODE_ID)
          .setClusterId(Uuid.randomUuid().toString())
          .addDirectory(logs.toString())
          .setMetadataLogDirectory(logs.toString())
          .setReleaseVersion(MetadataVersion.latestProduction())
          .setControllerListenerName("CONTROLLER")
          .run();
    }
  }

  private Properties properties(Path logs) {
    String controller = PartContext.HOST + ":" + context.ports().controller();
    String broker = address();
    Properties p = new Properties();
    p.setProperty("process.roles", "broker,controller");
    p.setProperty("node.id", Integer.toString(NODE_ID));
    p.setProperty("controller.quorum.voters", NODE_ID + "@" + controller);
    p.setProperty("listeners", "PLAINTEXT://" + broker + ",CONTROLLER://" + controller);
    p.setProperty("advertised.listeners", "PLAINTEXT://" + broker);
    p.setProperty("controller.listener.names", "CONTROLLER");
    p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.setProperty("log.dirs", logs.toString());
    p.setProperty("auto.create.topics.enable", "false");
    singleNode(p);
    small(p);
    return p;
  }

  private static void singleNode(Properties p) {
    p.setProperty("offsets.topic.replication.factor", "1");
    p.setProperty("transaction.state.log.replication.factor", "1");
    p.setProperty("transaction.state.log.min.isr", "1");
    p.setProperty("share.coordinator.state.topic.replication.factor", "1");
    p.setProperty("share.coordinator.state.topic.min.isr", "1");
    p.setProperty("group.initial.rebalance.delay.ms", "0");
    // An unfenced broker soon after a restart: the defaults wait for the old session to end.
    p.setProperty("controlled.shutdown.enable", "true");
    p.setProperty("broker.heartbeat.interval.ms", "1000");
    p.setProperty("broker.session.timeout.ms", "4000");
  }

  private static void small(Properties p) {
    p.setProperty("offsets.topic.num.partitions", "4");
    p.setProperty("transaction.state.log.num.partitions", "4");
    p.setProperty("share.coordinator.state.topic.num.partitions", "1");
    p.setProperty("num.network.threads", "2");
    p.setProperty("num.io.threads", "4");
    p.setProperty("log.cleaner.dedupe.buffer.size", "2097152");
  }

  @Override
  public String address() {
    return context.hostAndPort(PartName.BROKER);
  }

  @Override
  public void stop() {
    if (server != null) {
      server.shutdown();
      server.awaitShutdown();
    }
  }
}
