package io.indexview.server;

import io.indexview.client.admin.PublishedValues;
import io.indexview.client.admin.SourceStatus;
import io.indexview.client.write.Writer;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.server.api.Api;
import io.indexview.server.config.HttpSettings;
import io.indexview.server.http.HttpListener;
import io.indexview.server.record.RecordSets;
import io.indexview.server.rows.Rows;
import io.indexview.server.rows.Rows.ReadLimits;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The server's resources and its whole HTTP side, over views and records in this process. */
public final class TestServer implements AutoCloseable {
  public static final long MAX_BYTES = 2_048;

  public static final int MAX_WAITING = 2;
  private static final ReadLimits LIMITS =
      new ReadLimits(1_000, Duration.ofMinutes(1), MAX_WAITING);

  private final FakeViews views = new FakeViews();
  private final FakeSources sources = new FakeSources();
  private final FakeVerifications verifications = new FakeVerifications();
  private final FakeReader reader = new FakeReader();
  private final MockProducer<byte[], byte[]> producer;
  private final RecordSets recordSets;
  private final HttpListener listener;

  private TestServer(HttpSettings settings, KvStore store, boolean acknowledge) throws IOException {
    this(settings, store, acknowledge, KvKeySet.under(KvKey.ofMajor("World", "people")));
  }

  private TestServer(HttpSettings settings, KvStore store, boolean acknowledge, KvKeySet people)
      throws IOException {
    this.producer =
        new MockProducer<>(acknowledge, null, new ByteArraySerializer(), new ByteArraySerializer());
    this.recordSets = recordSets(store, people);
    this.listener =
        HttpListener.start(
            settings,
            RestApplication.of(
                settings, views, verifications, new Rows(reader, LIMITS), recordSets, sources));
  }

  private RecordSets recordSets(KvStore store, KvKeySet people) {
    SchemaRegistry registry = new InMemorySchemaRegistry();
    Map<String, KvKeySet> kept = store == null ? Map.of() : Map.of(People.NAME, people);
    return new RecordSets(
        views,
        new PublishedValues(this::sourcesWithPeople),
        registry,
        new RecordSets.Home(store, "1", kept),
        (config, codec) -> new Writer(store, config, codec, producer, registry, Clock.systemUTC()));
  }

  /** A source reads the people in plain Avro, unless a test has another. */
  private List<SourceStatus> sourcesWithPeople() {
    return sources.list().isEmpty()
        ? List.of(People.source("corporate", ValueConfig.of(ValueFormat.AVRO, People.SCHEMA)))
        : sources.list();
  }

  /** All resources of the server. */
  public static Set<Class<?>> resources() {
    return RestApplication.RESOURCES;
  }

  /** On loopback, without a KV store. */
  public static TestServer start() throws IOException {
    return new TestServer(loopback(Optional.empty(), MAX_BYTES), null, true);
  }

  /** On loopback, with a token. */
  public static TestServer startWithToken(String token) throws IOException {
    return new TestServer(loopback(Optional.of(new Password(token)), MAX_BYTES), null, true);
  }

  /** On loopback, with people that have these keys alone. */
  public static TestServer startWithKeys(KvStore store, KvKeySet people) throws IOException {
    return new TestServer(loopback(Optional.empty(), MAX_BYTES), store, true, people);
  }

  /** On loopback, with people in a KV store. */
  public static TestServer startWithRecords(KvStore store, boolean acknowledge) throws IOException {
    return new TestServer(loopback(Optional.empty(), MAX_BYTES), store, acknowledge);
  }

  /** On loopback, with people in a KV store; takes bodies of so many bytes. */
  public static TestServer startWithRoom(KvStore store, long maxBytes) throws IOException {
    return new TestServer(loopback(Optional.empty(), maxBytes), store, true);
  }

  private static HttpSettings loopback(Optional<Password> token, long maxBytes) {
    return new HttpSettings(
        new HttpSettings.Address("127.0.0.1", 0, Set.of("views.example")),
        Optional.empty(),
        token,
        8,
        Duration.ofSeconds(30),
        maxBytes);
  }

  public FakeReader reader() {
    return reader;
  }

  public FakeVerifications verifications() {
    return verifications;
  }

  public FakeSources sources() {
    return sources;
  }

  public FakeViews views() {
    return views;
  }

  public MockProducer<byte[], byte[]> producer() {
    return producer;
  }

  /** Forgets views, and what its reader and producer were told. */
  public void reset() {
    views.clear();
    sources.clear();
    verifications.clear();
    reader.reset();
    producer.clear();
  }

  public URI address() {
    return listener.address();
  }

  public Api api() {
    return new Api(listener.address());
  }

  @Override
  public void close() {
    listener.close();
    recordSets.close();
  }
}
