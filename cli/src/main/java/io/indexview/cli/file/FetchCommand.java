package io.indexview.cli.file;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.file.BucketOptions.S3Options;
import io.indexview.cli.option.ServerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview files get}. */
@Command(
    name = "get",
    description = {
      "Fetches a file from its bucket by its object key.",
      "The bucket is looked up in the file view, unless it is given; it has to be, if the key is in"
          + " several. The account is that of the local stack, or what the AWS SDK finds:"
          + " environment, profile, container, instance."
    })
final class FetchCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;
  @Mixin private FileView view;

  @Parameters(paramLabel = "OBJECT-KEY", description = "Object key of the file.")
  private String key;

  @Option(
      names = {"-t", "--to"},
      paramLabel = "FILE",
      description =
          "Where to; - is standard output. Default: the last part of the object key, in the current"
              + " directory.")
  private Path target;

  @Option(names = "--force", description = "Replaces a file that is there.")
  private boolean force;

  @Option(names = "--bucket", paramLabel = "BUCKET", description = "The file's bucket.")
  private String bucket;

  @Mixin private S3Options s3;

  @Override
  public Integer call() throws IOException {
    Destination destination = Destination.of(target, key, force);
    String from = bucket == null ? bucketOfView() : bucket;
    try (S3Objects fetch = s3.open(options)) {
      long bytes = fetch.fetch(from, key, destination);
      if (!destination.isStandardOutput()) {
        options.out().println("%s  %,d bytes".formatted(destination, bytes));
        options.out().flush();
      }
    }
    return ExitCodes.OK;
  }

  private String bucketOfView() {
    JsonNode rows = options.client().get(view.rows().with("objectKey", key)).path("rows");
    List<String> buckets = rows.valueStream().map(FileView::bucket).distinct().sorted().toList();
    if (buckets.isEmpty()) {
      throw new CommandException.NotFound("there is no file " + key);
    }
    if (buckets.size() > 1) {
      throw new CommandException.Usage(
          "%s is in several buckets: %s; name one with --bucket"
              .formatted(key, String.join(", ", buckets)));
    }
    return buckets.get(0);
  }
}
