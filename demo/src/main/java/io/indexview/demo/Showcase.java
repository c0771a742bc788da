package io.indexview.demo;

import io.indexview.cli.output.TextTable;
import io.indexview.client.read.FileSearch;
import io.indexview.client.read.FileSearch.FilePage;
import io.indexview.client.read.FileSearch.FileView;
import io.indexview.client.read.FileSearch.FoundFile;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads the views as an application would, and shows what they say. */
final class Showcase {
  private static final int ROWS = 5;
  private static final int BATCH = 100;
  private static final String ALTITUDES = "airports-by-country-altitude";
  private static final String COUNTRY = "Bolivia";

  /** The sink may not have shown readers yet that the view is READY. */
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private static final int MIN_FEET = 10_000;

  private final DemoPlan plan;
  private final Clients clients;
  private final PrintWriter out;

  Showcase(DemoPlan plan, Clients clients, PrintWriter out) {
    this.plan = plan;
    this.clients = clients;
    this.out = out;
  }

  void print(List<ViewGeneration> generations) {
    generations.stream()
        .filter(generation -> generation.definition().target() instanceof Target.Kv)
        .forEach(this::firstRows);
    generations.stream()
        .filter(generation -> generation.view().equals(ALTITUDES))
        .forEach(this::highestAirports);
    generations.stream()
        .filter(generation -> generation.view().equals("file-metadata"))
        .filter(generation -> generation.definition().source().equals(PipelineSpec.FILES))
        .forEach(this::searches);
  }

  private void firstRows(ViewGeneration generation) {
    KvLayout layout = KvLayout.of(generation);
    TextTable table = new TextTable("key fields", "primary record", "row in the KV store");
    KvScan scan = KvScan.under(new KvKey(layout.parent(), List.of()));
    try (KvIterator<KvRecord> records = clients.store().storeIterator(scan)) {
      for (int i = 0; i < ROWS && records.hasNext(); i++) {
        KvRecord record = records.next();
        StoredRow row = row(layout, record);
        table.row(row.key(), row.primaryKey(), record.key());
      }
    }
    title("Some rows of " + generation.view());
    table.print(out);
  }

  /** A range of the numeric field, highest first, in one pass over one partition. */
  private void highestAirports(ViewGeneration generation) {
    KvLayout layout = KvLayout.of(generation);
    KvPath country = layout.prefix(List.of(COUNTRY));
    KvSelection range =
        KvSelection.below(
            new KvKey(country.major(), country.minor()),
            KvRange.from(layout.component(1, MIN_FEET), true));
    DataSet airports = plan.dataSet(generation.definition().source());
    TextTable table = new TextTable("altitude (ft)", "airport", "city", "primary record");
    try (KvIterator<KvRecord> records =
        clients.store().iterator(range, KvDirection.REVERSE, KvConsistency.ABSOLUTE, BATCH)) {
      for (int i = 0; i < ROWS && records.hasNext(); i++) {
        StoredRow row = row(layout, records.next());
        clients
            .store()
            .get(KvKey.fromString(row.primaryKey()))
            .map(airports::decode)
            .ifPresent(
                airport ->
                    table.row(
                        row.key().get("altitudeFeet"),
                        airport.get("name"),
                        airport.get("city"),
                        row.primaryKey()));
      }
    }
    title("Airports of %s above %,d ft, highest first".formatted(COUNTRY, MIN_FEET));
    table.print(out);
  }

  private static StoredRow row(KvLayout layout, KvRecord record) {
    return layout.row(new KvPath(record.key().major(), record.key().minor()), record.value());
  }

  private void searches(ViewGeneration generation) {
    IndexViewReader reader =
        IndexViewReaders.of(
            clients.items(), clients.topics(), ReaderConfig.of(PageTokens.ofThisProcess()));
    FileSearch search =
        new FileSearch(
            reader,
            FileView.named(generation.view()),
            ReadOptions.DEFAULT.withNotReady(new ReadOptions.NotReady.Wait(TIMEOUT)));
    FilePage largest = search.byBucketLargestFirst(clients.bucket().name(), ROWS, null);
    files("Files of the bucket, largest first", largest);
    Optional<FoundFile> owned =
        largest.files().stream()
            .filter(file -> file.uploadUser() != null && file.uploadDate() != null)
            .findFirst();
    owned.ifPresent(file -> searchesFor(search, file));
  }

  private void searchesFor(FileSearch search, FoundFile file) {
    String user = file.uploadUser();
    files("Files of " + user + ", oldest first", search.byUser(user, ROWS, null));
    files(
        "Files of %s on %s".formatted(user, file.uploadDate()),
        search.byUserAndDate(user, file.uploadDate(), ROWS, null));
    title("By object key, and fetched from the bucket");
    search
        .byObjectKey(file.objectKey(), ROWS, null)
        .files()
        .forEach(
            found ->
                out.printf(
                    "  %s: %,d bytes by the view, %,d bytes fetched%n",
                    found.objectKey(),
                    found.size(),
                    clients.bucket().fetch(found.objectKey()).length));
    out.flush();
  }

  private void files(String title, FilePage page) {
    TextTable table = new TextTable("object key", "size", "user", "date", "file id");
    page.files()
        .forEach(
            file ->
                table.row(
                    file.objectKey(),
                    file.size(),
                    file.uploadUser(),
                    file.uploadDate(),
                    file.fileId()));
    title(title);
    table.print(out);
  }

  private void title(String text) {
    out.println();
    out.println(text);
  }
}
