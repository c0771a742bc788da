package io.indexview.local;

import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.distributed.DistributedHerder;

/** A distributed Connect worker, with the connectors of its class path. */
final class ConnectPart implements Part {
  private static final Duration READY = Duration.ofMinutes(2);
  private static final Duration PROBE = Duration.ofSeconds(5);

  private final PartContext context;
  private Connect<DistributedHerder> connect;

  ConnectPart(PartContext context) {
    this.context = context;
  }

  @Override
  public PartName name() {
    return PartName.CONNECT;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of(PartName.BROKER);
  }

  /** All other parts: connectors use everything, and each stops better while the others answer. */
  @Override
  public Set<PartName> uses() {
    return EnumSet.complementOf(EnumSet.of(PartName.CONNECT));
  }

  @Override
  public void start() throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader outside = thread.getContextClassLoader();
    try {
      // The worker swaps the context class loader of the thread that starts it.
      connect = new ConnectDistributed().startConnect(properties());
    } finally {
      thread.setContextClassLoader(outside);
    }
    new ConnectClient(URI.create(address())).awaitMember(READY, PROBE);
  }

  private Map<String, String> properties() {
    String prefix = context.config().topics().prefix();
    Map<String, String> p = new HashMap<>();
    p.put("bootstrap.servers", context.hostAndPort(PartName.BROKER));
    p.put("group.id", prefix + ".connect");
    p.put("listeners", address());
    p.put("rest.advertised.host.name", PartContext.HOST);
    p.put("rest.extension.classes", ConnectRequests.class.getName());
    p.put("plugin.discovery", "service_load");
    context.config().pluginPath().ifPresent(path -> p.put("plugin.path", path.toString()));
    p.put("exactly.once.source.support", "enabled");
    p.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    p.put("value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    p.put("config.storage.topic", prefix + ".connect-configs");
    p.put("offset.storage.topic", prefix + ".connect-offsets");
    p.put("status.storage.topic", prefix + ".connect-status");
    p.put("config.storage.replication.factor", "1");
    p.put("offset.storage.replication.factor", "1");
    p.put("status.storage.replication.factor", "1");
    p.put("offset.storage.partitions", "1");
    p.put("status.storage.partitions", "1");
    p.put("offset.flush.interval.ms", "1000");
    p.put("scheduled.rebalance.max.delay.ms", "0");
    p.put("task.shutdown.graceful.timeout.ms", "10000");
    return p;
  }

  @Override
  public String address() {
    return context.url(PartName.CONNECT);
  }

  @Override
  public void stop() {
    if (connect != null) {
      connect.stop();
      connect.awaitStop();
    }
  }
}
