package io.indexview.cli.file;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/** {@code indexview files list}. */
@Command(
    name = "list",
    description = {
      "Lists a bucket by object key; what is there, whatever views say.",
      "The account is that of the local stack, or what the AWS SDK finds."
    })
final class ListCommand implements Callable<Integer> {
  private static final int MAX_LIMIT = 1_000;

  @Spec private CommandSpec spec;
  @Mixin private ServerOptions options;
  @Mixin private BucketOptions bucket;

  @Parameters(
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "What object keys begin with. Default: all.")
  private String prefix;

  @Option(
      names = "--limit",
      paramLabel = "FILES",
      defaultValue = "100",
      description = "Files at most, up to 1000. Default: ${DEFAULT-VALUE}")
  private int limit;

  @Option(
      names = "--after",
      paramLabel = "OBJECT-KEY",
      description = "Goes on after a list: the object key that it ended with.")
  private String after;

  @Override
  public Integer call() {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ParameterException(
          spec.commandLine(), "--limit %d: use 1 to %d".formatted(limit, MAX_LIMIT));
    }
    String of = bucket.bucket(options);
    ListObjectsV2Response listed;
    try (S3Objects objects = bucket.open(options)) {
      listed = objects.list(of, prefix, after, limit);
    }
    options.printer().print(json(listed), out -> table(listed, out));
    if (Boolean.TRUE.equals(listed.isTruncated()) && !listed.contents().isEmpty()) {
      String last = listed.contents().get(listed.contents().size() - 1).key();
      options.err().println("More: --after " + TerminalText.clean(last));
      options.err().flush();
    }
    return ExitCodes.OK;
  }

  private static ObjectNode json(ListObjectsV2Response listed) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ArrayNode files = answer.putArray("files");
    for (S3Object object : listed.contents()) {
      files
          .addObject()
          .put("key", object.key())
          .put("size", object.size())
          .put("lastModified", object.lastModified().toString());
    }
    return answer;
  }

  private static void table(ListObjectsV2Response listed, PrintWriter out) {
    if (listed.contents().isEmpty()) {
      return;
    }
    TextTable table = new TextTable("object key", "size", "last modified");
    for (S3Object object : listed.contents()) {
      table.row(object.key(), object.size(), object.lastModified());
    }
    table.print(out);
  }
}
