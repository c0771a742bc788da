package io.indexview.client.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.client.page.InvalidPageTokenException;
import io.indexview.client.page.PageTokens;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.TableSpec;
import io.indexview.dynamodb.TableSpec.Index;
import io.indexview.dynamodb.TableSpec.Key;
import io.indexview.dynamodb.TableSpec.KeyType;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FileSearchTest {
  private static final boolean DISABLE_TELEMETRY = true;
  private static final LocalDate DAY = LocalDate.of(2017, 8, 20);
  private static final FileTable TABLE = FileTable.named("FileMetaData");

  private static AmazonDynamoDBLocal local;
  private static ItemStore store;
  private static FileSearch search;

  @BeforeAll
  static void fillTable() {
    local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
    store = DynamoDbItemStore.over(local.dynamoDbAsyncClient());
    store.ensureTable(
        new TableSpec(
            TABLE.name(),
            new Key("objectKey", KeyType.STRING),
            null,
            List.of(
                new Index(
                    TABLE.byUserAndDate(),
                    new Key("uploadUser", KeyType.STRING),
                    new Key("uploadDate", KeyType.STRING)),
                new Index(
                    TABLE.byBucketAndSize(),
                    new Key("bucketName", KeyType.STRING),
                    new Key("size", KeyType.NUMBER))),
            null),
        Duration.ofSeconds(20));
    put("c.txt", "USER001", "2017-08-21", 5);
    put("a.txt", "USER001", "2017-08-20", 100);
    put("b.txt", "USER001", "2017-08-20", 30);
    put("d.txt", "USER002", "2017-08-20", 1_000);
    store.put(TABLE.name(), Map.of("objectKey", "gone.txt", "version", 9, "_deleted", true)).join();
    store.put(TABLE.name(), Map.of("objectKey", "README", "version", 3)).join();
    search = new FileSearch(store, TABLE, PageTokens.ofThisProcess());
  }

  private static void put(String key, String user, String date, long size) {
    store
        .put(
            TABLE.name(),
            Map.of(
                "objectKey", key,
                "bucketName", "documents",
                "fileId", "id-" + key,
                "uploadUser", user,
                "uploadDate", date,
                "size", size,
                "version", 7))
        .join();
  }

  @AfterAll
  static void stop() {
    store.close();
    local.shutdown();
  }

  @Test
  void findsAFileByItsObjectKey() {
    assertThat(search.byObjectKey("a.txt"))
        .contains(new FoundFile("a.txt", "documents", "id-a.txt", 100L, "USER001", DAY, 7));
    assertThat(search.byObjectKey("README"))
        .contains(new FoundFile("README", null, null, null, null, null, 3));
    assertThat(search.byObjectKey("missing.txt")).isEmpty();
    assertThat(search.byObjectKey("gone.txt")).isEmpty();
  }

  @Test
  void findsWhatAUserUploadedOnADay() {
    assertThat(all(token -> search.byUserAndDate("USER001", DAY, 1, token)))
        .containsExactlyInAnyOrder("a.txt", "b.txt");
    assertThat(all(token -> search.byUserAndDate("USER002", DAY.plusDays(1), 10, token))).isEmpty();
  }

  @Test
  void findsWhatAUserUploadedTheOldestFirst() {
    List<String> found = all(token -> search.byUser("USER001", 2, token));

    assertThat(found).hasSize(3).endsWith("c.txt");
  }

  @Test
  void findsWhatIsInABucketTheLargestFirst() {
    assertThat(all(token -> search.byBucketLargestFirst("documents", 3, token)))
        .containsExactly("d.txt", "a.txt", "b.txt", "c.txt");
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
  void refusesATokenOfAnotherSearch() {
    String token = search.byUser("USER001", 1, null).next();

    assertThatThrownBy(() -> search.byUser("USER002", 1, token))
        .isInstanceOf(InvalidPageTokenException.class)
        .hasMessageContaining("another query");
    assertThatThrownBy(() -> search.byUser("USER001", 1, "?"))
        .isInstanceOf(InvalidPageTokenException.class)
        .hasMessageContaining("page token");
  }
}
