package io.indexview.cli.file;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.query.Paging;
import io.indexview.cli.query.ReadinessOptions;
import io.indexview.cli.query.RowPages;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code indexview files search}. */
@Command(
    name = "search",
    description = {
      "Finds files: by object key, by user (and date, or in date order), or of a bucket, the"
          + " largest first.",
      "It reads the file view, a document view in DynamoDB with the indexes"
          + " uploadUser-uploadDate-index and bucketName-size-index."
    })
final class SearchCommand implements Callable<Integer> {
  private static final String BY_USER = "uploadUser-uploadDate-index";
  private static final String BY_BUCKET = "bucketName-size-index";

  @Mixin private ServerOptions options;
  @Mixin private FileView view;

  @Option(names = "--key", paramLabel = "OBJECT-KEY", description = "The file of an object key.")
  private String key;

  @Option(
      names = "--bucket",
      paramLabel = "BUCKET",
      description = "What is in a bucket, the largest first. With --key: in that bucket only.")
  private String bucket;

  @Option(names = "--user", paramLabel = "USER", description = "What a user uploaded.")
  private String user;

  @Option(
      names = "--date",
      paramLabel = "DATE",
      converter = DateConverter.class,
      description = "With --user: on that day (UTC) only.")
  private LocalDate date;

  @Mixin private Paging paging;

  @ArgGroup private ReadinessOptions readiness = new ReadinessOptions();

  @Override
  public Integer call() {
    requireOneSearch();
    RowPages pages = new RowPages(options.printer(), options.err());
    paging.read(
        options.client(), this::path, (page, goesOn) -> pages.print(inBucket(page), goesOn));
    return ExitCodes.OK;
  }

  private void requireOneSearch() {
    if (key == null && bucket == null && user == null) {
      throw new CommandException.Usage("search for what? Give --key, --bucket or --user");
    }
    if (user != null && (key != null || bucket != null)) {
      throw new CommandException.Usage(
          "--user goes with --date alone; leave --key and --bucket out");
    }
    if (date != null && user == null) {
      throw new CommandException.Usage("--date goes with --user");
    }
  }

  /** An object key is one file of each bucket; whether the view is keyed by both is its matter. */
  private JsonNode inBucket(JsonNode page) {
    if (key != null && bucket != null) {
      page.withArrayProperty("rows").removeIf(row -> !FileView.bucket(row).equals(bucket));
    }
    return page;
  }

  private ApiPath path() {
    return readiness.on(search());
  }

  private ApiPath search() {
    if (key != null) {
      return view.rows().with("objectKey", key);
    }
    return user == null
        ? view.rows().with("index", BY_BUCKET).with("bucketName", bucket).with("desc", true)
        : view.rows().with("index", BY_USER).with("uploadUser", user).with("uploadDate", date);
  }

  /** Dates as in 2017-08-20. */
  static final class DateConverter implements ITypeConverter<LocalDate> {
    @Override
    public LocalDate convert(String text) {
      try {
        return LocalDate.parse(text);
      } catch (DateTimeParseException e) {
        throw new TypeConversionException("'%s' is no date; write 2017-08-20".formatted(text));
      }
    }
  }
}
