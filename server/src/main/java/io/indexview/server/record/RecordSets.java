package io.indexview.server.record;

import io.indexview.client.admin.SourceStatus;
import io.indexview.client.write.ValueCodec;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import io.indexview.server.source.SourceCatalog;
import io.indexview.server.view.ViewCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.avro.Schema;

/**
 * The record sets of an installation, and those of them whose records this server keeps. Safe for
 * use by several threads.
 */
public final class RecordSets implements AutoCloseable {
  private static final String CLIENT = "indexview-server";

  /** The format of values that this server reads and writes, as sources name it. */
  private static final String FORMAT = "avro";

  /** How old the answer may be in which format a record set is; a source is not given another. */
  private static final Duration TRUSTED = Duration.ofSeconds(5);

  private final ViewCatalog catalog;
  private final SourceCatalog sources;
  private final Home home;
  private final BiFunction<WriterConfig, ValueCodec, Writer> writers;
  private final Map<String, Opened> opened = new HashMap<>();
  private final List<WritableSet> all = new ArrayList<>();
  private volatile Formats formats = new Formats(List.of(), System.nanoTime());

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

  /** What sources say, and until when that is taken for true, in ns of this process. */
  private record Formats(List<SourceStatus> sources, long untilNs) {}

  /**
   * @param home its store stays open
   */
  public RecordSets(
      ViewCatalog catalog,
      SourceCatalog sources,
      Home home,
      BiFunction<WriterConfig, ValueCodec, Writer> writers) {
    this.catalog = catalog;
    this.sources = sources;
    this.home = home;
    this.writers = writers;
  }

  List<RecordSetAnswer> all() {
    return catalog.recordSets().stream()
        .map(
            info ->
                RecordSetAnswer.of(
                    info,
                    home.recordSets().containsKey(info.name()) && otherFormat(info).isEmpty()))
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
    otherFormat(info)
        .ifPresent(
            source -> {
              throw ProblemException.of(
                  ProblemType.NOT_WRITABLE,
                  "records of \"%s\" are stored as %s, says source %s; this server reads and writes %s alone. Use the application that they are of; if source %s is gone, retire it"
                      .formatted(
                          name,
                          source.valueFormat().orElseThrow(),
                          source.source(),
                          FORMAT,
                          source.source()));
            });
    return open(info);
  }

  /** A source that reads the records in another format. */
  private Optional<SourceStatus> otherFormat(RecordSetInfo info) {
    Formats known = formats;
    if (System.nanoTime() - known.untilNs() >= 0) {
      known = new Formats(sources.list(), System.nanoTime() + TRUSTED.toNanos());
      formats = known;
    }
    return known.sources().stream()
        .filter(source -> source.topic().equals(info.topic()))
        .filter(source -> source.valueFormat().filter(format -> !format.equals(FORMAT)).isPresent())
        .findFirst();
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
