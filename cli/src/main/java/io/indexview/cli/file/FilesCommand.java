package io.indexview.cli.file;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code indexview files}. */
@Command(
    name = "files",
    description =
        "Finds files of a bucket by what is known of them; fetches, writes, lists and removes them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SearchCommand.class,
      FetchCommand.class,
      PutCommand.class,
      ListCommand.class,
      FilesCommand.DeleteCommand.class
    })
public final class FilesCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  /** {@code indexview files delete}. */
  @Command(
      name = "delete",
      description = {
        "Removes files from a bucket.",
        "S3 does not say whether there was one. The account is that of the local stack, or what the"
            + " AWS SDK finds."
      })
  static final class DeleteCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;
    @Mixin private BucketOptions bucket;

    @Parameters(arity = "1..*", paramLabel = "OBJECT-KEY", description = "Object keys.")
    private List<String> keys;

    @Override
    public Integer call() {
      String from = bucket.bucket(options);
      try (S3Objects objects = bucket.open(options)) {
        for (String key : keys) {
          objects.delete(from, key);
          ObjectNode removed =
              JsonNodeFactory.instance.objectNode().put("bucket", from).put("key", key);
          options
              .printer()
              .print(removed, out -> out.println("%s/%s is gone".formatted(from, key)));
        }
      }
      return ExitCodes.OK;
    }
  }
}
