package io.indexview.client.files;

import io.indexview.client.page.PagePosition;
import io.indexview.client.page.PageTokens;
import io.indexview.dynamodb.ItemPage;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.SortCondition;
import io.indexview.views.layout.DynamoDbLayout;
import java.time.LocalDate;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Finds files in the table of a file view. Lookups by object key see every applied change; the
 * other searches read indexes, which follow within moments. Thread-safe.
 *
 * <p>Pages: give the token of a page to the same search to get the next one. Every method throws
 * {@link io.indexview.dynamodb.ItemStoreException}.
 */
public final class FileSearch {
  private static final String OBJECT_KEY = "objectKey";
  private static final String BUCKET = "bucketName";
  private static final String FILE_ID = "fileId";
  private static final String SIZE = "size";
  private static final String USER = "uploadUser";
  private static final String DATE = "uploadDate";

  private final ItemStore store;
  private final FileTable table;
  private final PageTokens tokens;

  /**
   * @param store stays the caller's to close
   */
  public FileSearch(ItemStore store, FileTable table, PageTokens tokens) {
    this.store = Objects.requireNonNull(store, "store");
    this.table = Objects.requireNonNull(table, "table");
    this.tokens = Objects.requireNonNull(tokens, "tokens");
  }

  /** The file of an object key. */
  public Optional<FoundFile> byObjectKey(String objectKey) {
    return store
        .get(table.name(), Map.of(OBJECT_KEY, objectKey))
        .filter(item -> !item.containsKey(DynamoDbLayout.DELETED))
        .map(FileSearch::file);
  }

  /**
   * What a user uploaded on one day.
   *
   * @param token null for the first page
   * @throws io.indexview.client.page.InvalidPageTokenException if the token is of another search
   */
  public FilePage byUserAndDate(String user, LocalDate date, int pageSize, String token) {
    ItemQuery query =
        ItemQuery.of(table.name(), table.byUserAndDate(), USER, user)
            .where(new SortCondition.EqualTo(DATE, date.toString()));
    return page("user-date|" + user + "|" + date, query, pageSize, token);
  }

  /**
   * What a user uploaded, the oldest first.
   *
   * @param token null for the first page
   * @throws io.indexview.client.page.InvalidPageTokenException if the token is of another search
   */
  public FilePage byUser(String user, int pageSize, String token) {
    ItemQuery query = ItemQuery.of(table.name(), table.byUserAndDate(), USER, user);
    return page("user|" + user, query, pageSize, token);
  }

  /**
   * What is in a bucket, the largest first.
   *
   * @param token null for the first page
   * @throws io.indexview.client.page.InvalidPageTokenException if the token is of another search
   */
  public FilePage byBucketLargestFirst(String bucket, int pageSize, String token) {
    ItemQuery query =
        ItemQuery.of(table.name(), table.byBucketAndSize(), BUCKET, bucket).descending();
    return page("bucket-size|" + bucket, query, pageSize, token);
  }

  private FilePage page(String search, ItemQuery query, int pageSize, String token) {
    ItemPage page =
        store.query(
            query
                .without(DynamoDbLayout.DELETED)
                .page(pageSize, token == null ? null : start(search, token)));
    return new FilePage(
        page.items().stream().map(FileSearch::file).toList(),
        page.next() == null
            ? null
            : tokens.write(PagePosition.of(source(), 0, search, page.next())));
  }

  private Map<String, Object> start(String search, String token) {
    PagePosition position = tokens.read(token);
    position.requireSource(source());
    position.requireQuery(search);
    return position.after();
  }

  private String source() {
    return "the files in table " + table.name();
  }

  private static FoundFile file(Map<String, Object> item) {
    Object size = item.get(SIZE);
    String date = text(item, DATE);
    Object version = item.get(DynamoDbLayout.VERSION);
    return new FoundFile(
        text(item, OBJECT_KEY),
        text(item, BUCKET),
        text(item, FILE_ID),
        size instanceof Number number ? number.longValue() : null,
        text(item, USER),
        date == null ? null : LocalDate.parse(date),
        version instanceof Number number ? number.longValue() : 0);
  }

  private static String text(Map<String, Object> item, String attribute) {
    return item.get(attribute) instanceof String text ? text : null;
  }
}
