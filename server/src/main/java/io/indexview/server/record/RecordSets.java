package io.indexview.server.record;

import io.indexview.client.write.ValueCodec;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import io.indexview.server.view.ViewCatalog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.avro.Schema;

/**
 * The record sets of an installation, and those of them whose records this server keeps. Safe for
 * use by several threads.
 */
public final class RecordSets implements AutoCloseable {
  private static final String CLIENT = "indexview-server";

  private final ViewCatalog catalog;
  private final Home home;
  private final BiFunction<WriterConfig, ValueCodec, Writer> writers;
  private final Map<String, Opened> opened = new HashMap<>();
  private final List<WritableSet> all = new ArrayList<>();

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

  private record Opened(RecordSetInfo info, WritableSet set) {}

  /**
   * @param home its store stays open
   */
  public RecordSets(
      ViewCatalog catalog, Home home, BiFunction<WriterConfig, ValueCodec, Writer> writers) {
    this.catalog = catalog;
    this.home = home;
    this.writers = writers;
  }

  List<RecordSetAnswer> all() {
    return catalog.recordSets().stream()
        .map(info -> RecordSetAnswer.of(info, home.recordSets().containsKey(info.name())))
        .toList();
  }

  /**
   * The records of a record set, as its schema is now.
   *
   * @throws ProblemException if there is no such record set, or its records are not here
   */
  WritableSet writable(String name) {
    RecordSetInfo info = known(name);
    if (!home.recordSets().containsKey(name)) {
      throw ProblemException.of(
          ProblemType.NOT_WRITABLE,
          "records of \"%s\" are not written through this server; record.sets of its configuration names those that are"
              .formatted(name));
    }
    return open(info);
  }

  /** The primary-change topic of a record set. */
  String topic(String name) {
    return known(name).topic();
  }

  private RecordSetInfo known(String name) {
    List<RecordSetInfo> known = catalog.recordSets();
    return known.stream()
        .filter(set -> set.name().equals(name))
        .findFirst()
        .orElseThrow(() -> notFound(name, known));
  }

  private synchronized WritableSet open(RecordSetInfo info) {
    Opened before = opened.get(info.name());
    if (before != null && before.info().equals(info)) {
      return before.set();
    }
    Schema schema = new Schema.Parser().parse(info.schema());
    KvKeySet keys = home.recordSets().get(info.name());
    WriterConfig config =
        new WriterConfig(
            info.name(),
            keys,
            info.topic(),
            home.incarnation(),
            CLIENT,
            WriterConfig.DEFAULT_MOST_IN_FLIGHT);
    WritableSet set =
        new WritableSet(home.store(), keys, schema, writers.apply(config, ValueCodec.avro(schema)));
    opened.put(info.name(), new Opened(info, set));
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
