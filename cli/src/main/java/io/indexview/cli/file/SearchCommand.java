package io.indexview.cli.file;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.ServerOptions;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.UsageException;
import io.indexview.cli.option.DateConverter;
import io.indexview.cli.query.RowPages;
import java.time.LocalDate;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code indexview files search}. */
@Command(
    name = "search",
    description = {
      "Finds files: by object key, by user (and date, or in date order), or of a bucket, the largest"
          + " first.",
      "It reads the file view, a document view in DynamoDB with the indexes"
          + " uploadUser-uploadDate-index and bucketName-size-index."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.NOT_READY_HELP,
      ExitCodes.NOT_FOUND_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class SearchCommand implements Callable<Integer> {
  private static final String BY_USER = "uploadUser-uploadDate-index";
  private static final String BY_BUCKET = "bucketName-size-index";

  @Mixin private ServerOptions options;
  @Mixin private FileView view;

  @ArgGroup(multiplicity = "1")
  private Search search;

  private static final class Search {
    @Option(names = "--key", paramLabel = "OBJECT-KEY", description = "The file of an object key.")
    private String key;

    @Option(names = "--user", paramLabel = "USER", description = "What a user uploaded.")
    private String user;

    @Option(
        names = "--bucket",
        paramLabel = "BUCKET",
        description = "What is in a bucket, the largest first.")
    private String bucket;
  }

  @Option(
      names = "--date",
      paramLabel = "DATE",
      converter = DateConverter.class,
      description = "With --user: on that day only.")
  private LocalDate date;

  @Option(names = "--limit", paramLabel = "ROWS", description = "Files of a page at most.")
  private Integer limit;

  @Option(names = "--page", paramLabel = "TOKEN", description = "Goes on after a page.")
  private String page;

  @Option(names = "--all", description = "Reads all pages.")
  private boolean all;

  @Override
  public Integer call() {
    if (date != null && search.user == null) {
      throw new UsageException("--date goes with --user");
    }
    ServerClient server = options.client();
    RowPages pages = new RowPages(options.printer(), options.err());
    String token = page;
    do {
      JsonNode answer = server.get(path(token));
      token = answer.hasNonNull("next") ? answer.path("next").asText() : null;
      pages.print(answer, all);
    } while (all && token != null);
    return ExitCodes.OK;
  }

  private ApiPath path(String token) {
    ApiPath path = view.rows().with("limit", limit).with("page", token);
    if (search.key != null) {
      return path.with("objectKey", search.key);
    }
    return search.user == null
        ? path.with("index", BY_BUCKET).with("bucketName", search.bucket).with("desc", true)
        : path.with("index", BY_USER).with("uploadUser", search.user).with("uploadDate", date);
  }
}
