package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.read.FileSearch.FilePage;
import io.indexview.client.read.FileSearch.FileView;
import io.indexview.client.read.FileSearch.FoundFile;
import io.indexview.client.read.IndexViewReader.GenerationGoneException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.StoredView.TestRow;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FileSearchIT {
  private static final LocalDate DAY = LocalDate.of(2017, 8, 20);
  private static final String DEFINITION =
      """
      name: %s
      source: files
      kind: document
      key: [%s]
      include: [%sfileId, size, uploadUser, uploadDate]
      target: dynamodb
      table: %s
      indexes:
        - {name: uploadUser-uploadDate-index, partitionKey: uploadUser, sortKey: uploadDate}
        - {name: bucketName-size-index, partitionKey: bucketName, sortKey: size}
      """;

  private static StoredDynamoDbView stored;
  private static IndexViewReader reader;
  private static FileSearch search;

  private static ViewGeneration view(String name, int number, String key, String included) {
    RecordSet set =
        new RecordSet(
            "files",
            "changes.files",
            RecordFormat.ENVELOPE,
            List.of("objectKey"),
            ControlSchemas.FILE_RECORD);
    String yaml = DEFINITION.formatted(name, key, included, name);
    return ViewGeneration.freeze(
        new ViewDefinitionParser().parse("files.yaml", yaml), number, set, new Topics("indexview"));
  }

  private static ViewGeneration view(String name, int number) {
    return view(name, number, "objectKey", "bucketName, ");
  }

  @BeforeAll
  static void fill() {
    stored = new StoredDynamoDbView().withMetadata();
    reader = stored.reader(StoredView.LOOKING);
    ViewGeneration files = view("files", 1);
    stored.prepare(files);
    put(files, "c.txt", "USER001", "2017-08-21", 5L);
    put(files, "a.txt", "USER001", "2017-08-20", 100L);
    put(files, "b.txt", "USER001", "2017-08-20", 30L);
    put(files, "e.txt", "USER001", "2017-08-19", 30L);
    put(files, "d.txt", "USER002", "2017-08-20", 1_000L);
    put(files, "README", null, null, null);
    stored.mark(files, row("gone.txt", "documents", "USER001", "2017-08-20", 7L), 9);
    stored.serve(files);
    search = new FileSearch(reader, FileView.named("files"));
  }

  private static TestRow row(String key, String bucket, String user, String date, Long size) {
    Map<String, Object> values = new HashMap<>();
    values.put("bucketName", bucket);
    values.put("fileId", "id-" + key);
    values.put("size", size);
    values.put("uploadUser", user);
    values.put("uploadDate", date);
    return new TestRow(Map.of("objectKey", key, "bucketName", bucket), bucket + "/" + key, values);
  }

  private static void put(
      ViewGeneration generation, String key, String user, String date, Long size) {
    stored.put(generation, row(key, "documents", user, date, size), 7);
  }

  @AfterAll
  static void stop() {
    stored.close();
  }

  private static List<String> all(Function<String, FilePage> pages) {
    List<String> keys = new ArrayList<>();
    String token = null;
    do {
      FilePage page = pages.apply(token);
      page.files().forEach(file -> keys.add(file.objectKey()));
      token = page.next();
    } while (token != null);
    return keys;
  }

  @Test
  void findsAFileByItsObjectKey() {
    assertThat(search.byObjectKey("a.txt", 10, null).files())
        .containsExactly(new FoundFile("a.txt", "documents", "id-a.txt", 100L, "USER001", DAY, 7));
    assertThat(search.byObjectKey("README", 10, null).files())
        .containsExactly(new FoundFile("README", "documents", "id-README", null, null, null, 7));
    assertThat(search.byObjectKey("missing.txt", 10, null).files()).isEmpty();
    assertThat(search.byObjectKey("gone.txt", 10, null).files()).isEmpty();
  }

  @Test
  void findsAnObjectKeyInEveryBucket() {
    ViewGeneration buckets = view("buckets", 1, "objectKey, bucketName", "");
    stored.prepare(buckets);
    stored.put(buckets, row("a.txt", "docs", "U", "2017-08-20", 1L), 7);
    stored.put(buckets, row("a.txt", "pics", "U", "2017-08-20", 1L), 7);
    stored.serve(buckets);
    FileSearch inBuckets = new FileSearch(reader, FileView.named("buckets"));

    assertThat(inBuckets.byObjectKey("a.txt", 10, null).files())
        .extracting(FoundFile::bucketName)
        .containsExactly("docs", "pics");
  }

  @Test
  void findsWhatAUserUploadedOnADay() {
    assertThat(all(token -> search.byUserAndDate("USER001", DAY, 1, token)))
        .containsExactlyInAnyOrder("a.txt", "b.txt");
    assertThat(all(token -> search.byUserAndDate("USER002", DAY.plusDays(1), 10, token))).isEmpty();
  }

  @Test
  void findsWhatAUserUploadedTheOldestFirst() {
    List<String> found = all(token -> search.byUser("USER001", 1, token));

    assertThat(found).hasSize(4).startsWith("e.txt").endsWith("c.txt");
    assertThat(found.subList(1, 3)).containsExactlyInAnyOrder("a.txt", "b.txt");
  }

  /** Two are of one size: a page may end between them. */
  @Test
  void findsWhatIsInABucketTheLargestFirst() {
    for (int size = 1; size <= 6; size++) {
      int pageSize = size;
      List<String> found = all(token -> search.byBucketLargestFirst("documents", pageSize, token));

      assertThat(found).hasSize(5).startsWith("d.txt", "a.txt").endsWith("c.txt");
      assertThat(found.subList(2, 4)).containsExactlyInAnyOrder("b.txt", "e.txt");
    }
  }

  @Test
  void refusesATokenOfAnotherSearch() {
    String token = search.byUser("USER001", 1, null).next();

    assertThatThrownBy(() -> search.byUser("USER002", 1, token))
        .isInstanceOf(InvalidPageTokenException.class)
        .hasMessageContaining("another query");
    assertThatThrownBy(() -> search.byUser("USER001", 1, "?"))
        .isInstanceOf(InvalidPageTokenException.class)
        .hasMessageContaining("page token");
  }

  @Test
  void searchesTheGenerationThatServes() {
    ViewGeneration first = view("rebuilt", 1);
    ViewGeneration second = view("rebuilt", 2);
    stored.prepare(first);
    stored.prepare(second);
    put(first, "old-1.txt", "U", "2017-08-20", 1L);
    put(first, "old-2.txt", "U", "2017-08-20", 2L);
    put(second, "new.txt", "U", "2017-08-20", 3L);
    stored.serve(first);
    FileSearch rebuilt = new FileSearch(reader, FileView.named("rebuilt"));
    FilePage page = rebuilt.byBucketLargestFirst("documents", 1, null);
    assertThat(page.files()).extracting(FoundFile::objectKey).containsExactly("old-2.txt");
    stored.tell(StoredView.metadata(second, 2, State.READY));

    assertThat(all(token -> rebuilt.byUser("U", 10, token))).containsExactly("new.txt");
    assertThatThrownBy(() -> rebuilt.byBucketLargestFirst("documents", 1, page.next()))
        .isInstanceOf(GenerationGoneException.class);
  }

  @Test
  void answersForAReadyViewOnlyUnlessAskedForLess() {
    ViewGeneration files = view("degraded", 1);
    stored.prepare(files);
    put(files, "a.txt", "U", "2017-08-20", 1L);
    stored.tell(StoredView.metadata(files, 1, State.DEGRADED));
    FileView name = FileView.named("degraded");

    assertThatThrownBy(() -> new FileSearch(reader, name).byUser("U", 1, null))
        .isInstanceOf(ViewNotReadyException.class)
        .hasMessageContaining("DEGRADED");
    ReadOptions stale = ReadOptions.DEFAULT.withNotReady(new ReadOptions.NotReady.AllowStale());
    FilePage page = new FileSearch(reader, name, stale).byObjectKey("a.txt", 1, null);
    assertThat(page.state()).isEqualTo(State.DEGRADED);
    assertThat(page.files()).hasSize(1);
  }
}
