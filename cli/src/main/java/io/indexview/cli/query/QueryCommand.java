package io.indexview.cli.query;

import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.DurationConverter;
import io.indexview.cli.option.ServerOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview query}. */
@Command(
    name = "query",
    description = {
      "Reads rows of a view.",
      "The fields that are given a value, and the one that --from, --to or --prefix mean (the next"
          + " one), are a leading run of the view's key fields."
    })
public final class QueryCommand implements Callable<Integer> {
  private static final char SEPARATOR = '=';
  @Mixin private ServerOptions options;

  @Parameters(index = "0", paramLabel = "VIEW", description = "Name of the view.")
  private String view;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "FIELD=VALUE",
      description = "Key fields and the values they have.")
  private List<String> fields = List.of();

  @Option(
      names = "--null",
      paramLabel = "FIELD",
      description = "Key field that is null; repeatable.")
  private List<String> nulls = List.of();

  @Option(names = "--from", paramLabel = "VALUE", description = "Least value of the next field.")
  private String from;

  @Option(names = "--to", paramLabel = "VALUE", description = "Greatest value of the next field.")
  private String to;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "What the value of the next field begins with.")
  private String prefix;

  @Option(names = "--desc", description = "Descending order.")
  private boolean descending;

  @Option(
      names = "--index",
      paramLabel = "NAME",
      description =
          "Index of a document view in DynamoDB; the key fields are then those of the index.")
  private String index;

  @Mixin private Paging paging;

  @Option(
      names = "--fetch",
      description = "Fetches the primary records, and leaves out rows that no longer match theirs.")
  private boolean fetch;

  @Option(
      names = "--at-least",
      paramLabel = "TOKEN",
      description = "Waits for a write: the token that `records put` printed.")
  private String atLeast;

  @Option(
      names = "--max-staleness",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Rows that are known to have every change that was made longer ago: 30s, 5m. A view of"
              + " which that is not known counts as one that is not READY.")
  private Duration maxStaleness;

  @ArgGroup private ReadinessOptions readiness = new ReadinessOptions();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long to wait for the write of --at-least, if --wait does not say it: 500ms, 10s."
              + " Default: 10s")
  private Duration timeout;

  @Option(
      names = "--consistency",
      paramLabel = "HOW",
      description = "strongest (default), absolute or eventual.")
  private String consistency;

  @Override
  public Integer call() {
    if (timeout != null && atLeast == null) {
      throw new CommandException.Usage("--timeout goes with --at-least");
    }
    if (timeout != null && readiness.waits()) {
      throw new CommandException.Usage(
          "--wait waits for the write of --at-least too; leave --timeout out");
    }
    RowPages pages = new RowPages(options.printer(), options.err());
    paging.read(options.client(), this::path, pages::print);
    return ExitCodes.OK;
  }

  private ApiPath path() {
    ApiPath path = ApiPath.of("views", view, "rows");
    fieldValues(fields).forEach((field, value) -> path.with("key." + field, value));
    nulls.forEach(field -> path.with("isNull", field));
    path.with("from", from)
        .with("to", to)
        .with("prefix", prefix)
        .with("desc", descending)
        .with("index", index)
        .with("fetch", fetch)
        .with("atLeast", atLeast)
        .with("maxStaleness", maxStaleness == null ? null : ReadinessOptions.millis(maxStaleness))
        .with("timeout", timeout == null ? null : ReadinessOptions.millis(timeout))
        .with("consistency", consistency);
    return readiness.on(path);
  }

  /**
   * The values by field.
   *
   * @throws CommandException.Usage if an argument names no field, or two name the same
   */
  private static Map<String, String> fieldValues(List<String> arguments) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String argument : arguments) {
      int end = argument.indexOf(SEPARATOR);
      if (end < 1) {
        throw new CommandException.Usage(
            "\"%s\" gives no field a value; write FIELD=VALUE".formatted(argument));
      }
      String field = argument.substring(0, end);
      if (values.put(field, argument.substring(end + 1)) != null) {
        throw new CommandException.Usage(
            "field \"%s\" is given twice; leave one out".formatted(field));
      }
    }
    return values;
  }
}
