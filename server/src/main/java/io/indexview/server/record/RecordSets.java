package io.indexview.server.record;

import io.indexview.client.admin.PublishedValues;
import io.indexview.client.admin.PublishedValues.ValuesUnknownException;
import io.indexview.client.admin.ViewCatalog;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import io.indexview.server.record.RecordSetResource.RecordSetAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The record sets of an installation, and those of them whose records this server keeps. Safe for
 * use by several threads.
 */
public final class RecordSets implements AutoCloseable {
  private static final String CLIENT = "indexview-server";

  /** How long an answer of sources about their values counts. */
  private static final Duration TRUSTED = Duration.ofSeconds(5);

  private final ViewCatalog catalog;
  private final PublishedValues values;
  private final SchemaRegistry registry;
  private final Home home;
  private final BiFunction<WriterConfig, ValueEncoder, Writer> writers;
  private final Map<String, Opened> opened = new HashMap<>();
  private final List<WritableSet> all = new ArrayList<>();
  private volatile Known known = new Known(List.of(), System.nanoTime());

  /**
   * Where records are kept.
   *
   * @param store null: nowhere; then there are no record sets
   * @param incarnation of the store
   * @param recordSets the keys of those that are there, by their names
   */
  public record Home(KvStore store, String incarnation, Map<String, KvKeySet> recordSets) {
    public Home {
      recordSets = Map.copyOf(recordSets);
    }
  }

  /**
   * What the streams app said.
   *
   * @param askedNs when it was asked for, in ns of this process
   */
  private record Known(List<RecordSetInfo> recordSets, long askedNs) {
    boolean isTrusted() {
      return System.nanoTime() - askedNs < TRUSTED.toNanos();
    }

    Optional<RecordSetInfo> find(String name) {
      return recordSets.stream().filter(set -> set.name().equals(name)).findFirst();
    }
  }

  /** A record set, with its values as they were when it was opened. */
  private record Opened(RecordSetInfo info, ValueConfig values, WritableSet set) {}

  /**
   * @param values how records are written in the store
   * @param registry whose ids values of the format {@code avro_registry} carry; stays open
   * @param home its store stays open
   */
  public RecordSets(
      ViewCatalog catalog,
      PublishedValues values,
      SchemaRegistry registry,
      Home home,
      BiFunction<WriterConfig, ValueEncoder, Writer> writers) {
    this.catalog = catalog;
    this.values = values;
    this.registry = registry;
    this.home = home;
    this.writers = writers;
  }

  List<RecordSetAnswer> all() {
    return catalog.recordSets().stream()
        .map(
            info ->
                RecordSetAnswer.of(
                    info, home.recordSets().containsKey(info.name()), format(info.topic())))
        .toList();
  }

  /** Empty: not known, or they are not in a KV store. */
  private Optional<ValueFormat> format(String topic) {
    try {
      return Optional.of(values.of(topic).format());
    } catch (ValuesUnknownException e) {
      return Optional.empty();
    }
  }

  /**
   * The records of a record set, in the format and with the schema that its sources read them with
   * now.
   *
   * @throws ProblemException if there is no such record set, or its records are not here
   * @throws ValuesUnknownException if it is not known how they are written
   */
  WritableSet writable(String name) {
    RecordSetInfo info = known(name);
    if (!home.recordSets().containsKey(name)) {
      throw ProblemException.of(
          ProblemType.NOT_WRITABLE,
          "records of \"%s\" are not written through this server; record.sets of its configuration names those that are"
              .formatted(name));
    }
    return open(info, values.of(info.topic()));
  }

  /** The primary-change topic of a record set. */
  String topic(String name) {
    return known(name).topic();
  }

  /** A record set that nobody knew yet is asked for at once. */
  private RecordSetInfo known(String name) {
    Known last = known;
    Optional<RecordSetInfo> found = last.isTrusted() ? last.find(name) : Optional.empty();
    if (found.isPresent()) {
      return found.get();
    }
    long asked = System.nanoTime();
    Known newest = new Known(catalog.recordSets(), asked);
    known = newest;
    return newest.find(name).orElseThrow(() -> notFound(name, newest.recordSets()));
  }

  private synchronized WritableSet open(RecordSetInfo info, ValueConfig written) {
    Opened before = opened.get(info.name());
    if (before != null && before.info().equals(info) && before.values().equals(written)) {
      return before.set();
    }
    KvKeySet keys = home.recordSets().get(info.name());
    WriterConfig config =
        new WriterConfig(
            info.name(),
            keys,
            info.topic(),
            home.incarnation(),
            CLIENT,
            WriterConfig.DEFAULT_MAX_IN_FLIGHT);
    Writer writer = writers.apply(config, ValueEncoder.of(written, registry));
    WritableSet set =
        new WritableSet(
            home.store(),
            keys,
            written.schema(),
            () -> ValueDecoder.of(written, registry, Time.SYSTEM),
            writer);
    opened.put(info.name(), new Opened(info, written, set));
    // One with an older schema may be in use: it stays open too.
    all.add(set);
    return set;
  }

  private static ProblemException notFound(String name, List<RecordSetInfo> known) {
    return ProblemException.of(
        ProblemType.RECORD_SET_NOT_FOUND,
        "there is no record set \"%s\"; there are %s"
            .formatted(name, known.stream().map(RecordSetInfo::name).toList()));
  }

  @Override
  public synchronized void close() {
    all.forEach(WritableSet::close);
    all.clear();
    opened.clear();
  }
}
