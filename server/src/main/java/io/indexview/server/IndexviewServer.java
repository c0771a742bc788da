package io.indexview.server;

import io.indexview.client.admin.PublishedValues;
import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.admin.TargetStates;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PrimaryRecords;
import io.indexview.client.token.FreshnessGate;
import io.indexview.client.write.Writer;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.server.config.ServerConfig;
import io.indexview.server.http.HttpListener;
import io.indexview.server.record.RecordSets;
import io.indexview.server.rows.Rows;
import io.indexview.server.rows.Rows.ReadLimits;
import io.indexview.verification.live.VerificationAdmin;
import io.indexview.verification.live.VerificationLog;
import io.indexview.verification.live.VerificationSchedule;
import io.indexview.verification.live.VerificationWorker;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.glassfish.jersey.server.ResourceConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The REST server in this process: views, queries and records over HTTP. It keeps nothing, any
 * number of them may run. Safe for use by several threads.
 */
public final class IndexviewServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(IndexviewServer.class);

  private final HttpListener listener;
  private final Closing closing;

  private IndexviewServer(HttpListener listener, Closing closing) {
    this.listener = listener;
    this.closing = closing;
  }

  /** Runs the command line of the server and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new ServerCommand()).execute(args));
  }

  /**
   * Starts a server; it answers when this returns.
   *
   * @throws IOException if the address cannot be listened on; names it
   * @throws org.apache.kafka.common.KafkaException if the clients cannot be made
   * @throws io.indexview.kvstore.KvStoreException if the KV store cannot be opened
   */
  public static IndexviewServer start(ServerConfig config) throws IOException {
    return start(config, Stores::open);
  }

  /**
   * Starts a server over stores that are open, in place of those that the configuration names.
   *
   * @param kvStore stays the caller's to close
   * @param itemStore stays the caller's to close; null: there is none
   * @param records of the KV store, in place of those that sources say how to read
   */
  public static IndexviewServer start(
      ServerConfig config, KvStore kvStore, ItemStore itemStore, PrimaryRecords records)
      throws IOException {
    return start(
        config, (known, published) -> Stores.over(known, store -> records, kvStore, itemStore));
  }

  private static IndexviewServer start(
      ServerConfig config, BiFunction<ServerConfig, Stores.Records, Stores> stores)
      throws IOException {
    Closing closing = new Closing();
    boolean started = false;
    try {
      HttpListener listener =
          closing.add(HttpListener.start(config.http(), application(config, stores, closing)));
      LOGGER.info("Listening on {}", listener.address());
      started = true;
      return new IndexviewServer(listener, closing);
    } finally {
      if (!started) {
        closing.close();
      }
    }
  }

  private static ViewAdmin admin(
      ServerConfig config, SchemaRegistry registry, TargetStates targets) {
    ViewAdmin admin =
        ViewAdmin.connect(
            config.kafkaSettings(), config.topics(), registry, targets, Clock.systemUTC());
    config
        .stores()
        .recordSets()
        .forEach((recordSet, keys) -> admin.reserveKeys(recordSet, keys.prefix().major().get(0)));
    return admin;
  }

  private static Map<String, Optional<Duration>> verificationIntervals(ViewAdmin views) {
    return views.list().stream()
        .collect(
            Collectors.toMap(
                ViewStatus::view, status -> status.spec().flatMap(ViewSpec::verificationInterval)));
  }

  private static ResourceConfig application(
      ServerConfig config,
      BiFunction<ServerConfig, Stores.Records, Stores> opening,
      Closing closing) {
    SchemaRegistry registry = closing.add(SchemaRegistries.create(config.originals()));
    SourceAdmin sourceAdmin =
        closing.add(SourceAdmin.connect(config.kafkaSettings(), config.topics(), registry));
    PublishedValues values = new PublishedValues(sourceAdmin::list);
    Stores stores =
        closing.add(
            opening.apply(config, store -> IndexViewReaders.recordsIn(store, values, registry)));
    ViewAdmin views = closing.add(admin(config, registry, stores.states()));
    VerificationLog verifications =
        closing.add(VerificationLog.connect(config.kafkaSettings(), config.topics(), registry));
    closing.add(
        VerificationWorker.start(
            verifications, config.kafkaSettings(), config.verification(), views, stores::rows));
    VerificationAdmin verificationAdmin =
        new VerificationAdmin(
            verifications, views::serving, stores::requiredRows, Clock.systemUTC());
    closing.add(
        VerificationSchedule.start(
            verifications,
            verificationAdmin,
            () -> verificationIntervals(views),
            config.verificationSchedule()));
    RecordSets recordSets =
        closing.add(
            new RecordSets(
                views,
                values,
                registry,
                new RecordSets.Home(
                    stores.kvStore().orElse(null),
                    config.stores().incarnation(),
                    config.stores().recordSets()),
                (writer, codec) ->
                    Writer.connect(
                        stores.kvStore().orElseThrow(),
                        writer,
                        codec,
                        config.kafkaSettings(),
                        registry)));
    FreshnessGate gate =
        closing.add(
            FreshnessGate.connect(config.kafkaSettings(), config.topics(), views::recordSets));
    return RestApplication.of(
        config.http(),
        views,
        verificationAdmin,
        new Rows(stores.reader(gate), limits(config)),
        recordSets,
        sourceAdmin);
  }

  private static ReadLimits limits(ServerConfig config) {
    return new ReadLimits(
        config.pageMaxRows(), config.timeoutMax(), Math.max(1, config.http().threads() / 2));
  }

  /** Where it listens. */
  public URI address() {
    return listener.address();
  }

  /** Waits until it was closed. */
  public void join() throws InterruptedException {
    listener.join();
  }

  /** Lets requests that are being answered end, then closes what they use; safe to call again. */
  @Override
  public void close() {
    closing.close();
  }

  /** What is to be closed, the newest first. Safe for use by several threads. */
  private static final class Closing implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    synchronized <T extends AutoCloseable> T add(T resource) {
      open.push(resource);
      return resource;
    }

    /** Closes everything, also after a failure, which is thrown in the end. */
    @Override
    public synchronized void close() {
      RuntimeException failure = null;
      while (!open.isEmpty()) {
        try {
          open.pop().close();
        } catch (Exception e) {
          if (failure == null) {
            failure = new IllegalStateException("the server did not close in order", e);
          } else {
            failure.addSuppressed(e);
          }
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
