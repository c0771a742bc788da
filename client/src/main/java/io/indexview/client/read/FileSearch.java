package io.indexview.client.read;

import io.indexview.schemas.control.ViewState;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;

/**
 * Finds files in a file view, in the generation that serves. Lookups by object key see every
 * applied change; the other searches read indexes, which follow within moments. Thread-safe.
 *
 * <p>Pages: give the token of a page to the same search to get the next one. Every method throws as
 * {@link IndexViewReader#read}: while the view is not READY, if the token is of another search, and
 * if its generation is gone.
 */
public final class FileSearch {
  private static final String OBJECT_KEY = "objectKey";
  private static final String BUCKET = "bucketName";
  private static final String FILE_ID = "fileId";
  private static final String SIZE = "size";
  private static final String USER = "uploadUser";
  private static final String DATE = "uploadDate";

  private final IndexViewReader reader;
  private final FileView view;
  private final ReadOptions options;

  /** Searches READY views only. */
  public FileSearch(IndexViewReader reader, FileView view) {
    this(reader, view, ReadOptions.DEFAULT);
  }

  /**
   * @param options of every search
   */
  public FileSearch(IndexViewReader reader, FileView view, ReadOptions options) {
    this.reader = Objects.requireNonNull(reader, "reader");
    this.view = Objects.requireNonNull(view, "view");
    this.options = Objects.requireNonNull(options, "options");
  }

  /**
   * The file of an object key; one of each bucket, if the view is of several.
   *
   * @param token null for the first page
   */
  public FilePage byObjectKey(String objectKey, int pageSize, String token) {
    return page(all().where(OBJECT_KEY, objectKey), pageSize, token);
  }

  /**
   * What a user uploaded on one day.
   *
   * @param date in UTC
   * @param token null for the first page
   */
  public FilePage byUserAndDate(String user, LocalDate date, int pageSize, String token) {
    return page(
        all().by(view.byUserAndDate()).where(USER, user).where(DATE, date.toString()),
        pageSize,
        token);
  }

  /**
   * What a user uploaded, the oldest first.
   *
   * @param token null for the first page
   */
  public FilePage byUser(String user, int pageSize, String token) {
    return page(all().by(view.byUserAndDate()).where(USER, user), pageSize, token);
  }

  /**
   * What is in a bucket, the largest first.
   *
   * @param token null for the first page
   */
  public FilePage byBucketLargestFirst(String bucket, int pageSize, String token) {
    return page(
        all().by(view.byBucketAndSize()).where(BUCKET, bucket).inDescendingOrder(),
        pageSize,
        token);
  }

  private ViewQuery all() {
    return ViewQuery.of(view.name());
  }

  private FilePage page(ViewQuery query, int pageSize, String token) {
    RowPage page = reader.read(query.withLimit(pageSize).from(token), options);
    return new FilePage(
        page.rows().stream().map(FileSearch::file).toList(), page.next(), page.state());
  }

  private static FoundFile file(RowPage.Row row) {
    String date = text(row, DATE);
    return new FoundFile(
        text(row, OBJECT_KEY),
        text(row, BUCKET),
        text(row, FILE_ID),
        field(row, SIZE) instanceof Number size ? size.longValue() : null,
        text(row, USER),
        date == null ? null : LocalDate.parse(date),
        row.revision().orElse(0));
  }

  private static String text(RowPage.Row row, String field) {
    return field(row, field) instanceof String text ? text : null;
  }

  private static Object field(RowPage.Row row, String field) {
    return row.key().containsKey(field) ? row.key().get(field) : row.values().get(field);
  }

  /**
   * A page of the files that were found.
   *
   * @param next token of the next page; null after the last one
   * @param state of the view while they were read; other than READY only if that was asked for
   */
  public record FilePage(List<FoundFile> files, String next, ViewState.State state) {
    public FilePage {
      files = List.copyOf(files);
      Objects.requireNonNull(state, "state");
    }
  }

  /**
   * A file view: a document view in DynamoDB whose key begins with {@code objectKey}.
   *
   * @param name of the view
   * @param byUserAndDate index with partition key {@code uploadUser} and sort key {@code
   *     uploadDate}
   * @param byBucketAndSize index with partition key {@code bucketName} and sort key {@code size}
   */
  public record FileView(String name, String byUserAndDate, String byBucketAndSize) {
    public FileView {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(byUserAndDate, "byUserAndDate");
      Objects.requireNonNull(byBucketAndSize, "byBucketAndSize");
    }

    /** A view with the usual indexes. */
    public static FileView named(String name) {
      return new FileView(name, "uploadUser-uploadDate-index", "bucketName-size-index");
    }
  }

  /**
   * One file as its view has it. All but the key and the revision may be null: not known, or not
   * included in the view.
   *
   * @param size bytes
   * @param uploadDate in UTC
   * @param revision of the row
   */
  public record FoundFile(
      String objectKey,
      String bucketName,
      String fileId,
      Long size,
      String uploadUser,
      LocalDate uploadDate,
      long revision) {}
}
