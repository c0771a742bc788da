package io.indexview.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.ServerOptions;
import java.io.Console;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview records multi-delete}. */
@Command(
    name = "multi-delete",
    description = {
      "Removes the primary records whose keys begin with a partial key.",
      "Records of one major path go in one transaction, several major paths one after the other;"
          + " says which it was. Asks before it begins."
    })
final class RecordsMultiDeleteCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Parameters(index = "0", paramLabel = "RECORD-SET", description = "Name of the record set.")
  private String recordSet;

  @Parameters(
      index = "1",
      paramLabel = "PARTIAL-KEY",
      description = "Leading components of the keys, as in /World/cities/17.")
  private String key;

  @Option(names = "--yes", description = "Does not ask.")
  private boolean yes;

  private long removed;
  private long unpublished;

  @Override
  public Integer call() {
    if (!isConfirmed(System.console())) {
      options.err().println("Nothing is removed.");
      options.err().flush();
      return ExitCodes.FAILED;
    }
    ServerClient server = options.client();
    boolean more = true;
    for (boolean first = true; more; first = false) {
      JsonNode answer = delete(server);
      JsonNode records = answer.path("removed");
      removed += records.size();
      records.forEach(record -> unpublished += record.path("published").asBoolean() ? 0 : 1);
      more = answer.path("more").asBoolean();
      boolean last = !more;
      boolean atomic = first && answer.path("atomic").asBoolean();
      options.printer().print(answer, out -> tell(last, atomic));
    }
    tellOfUnpublished();
    return ExitCodes.OK;
  }

  private void tellOfUnpublished() {
    if (unpublished > 0) {
      options
          .err()
          .println(
              "%,d of the changes are not in Kafka; views follow with the next scan"
                  .formatted(unpublished));
      options.err().flush();
    }
  }

  private void tell(boolean last, boolean atomic) {
    if (!last) {
      return;
    }
    if (removed == 0) {
      options.out().println("no record's key begins with " + key);
    } else {
      options
          .out()
          .println(
              "%s removed, in %s"
                  .formatted(count(), atomic ? "one transaction" : "several transactions"));
    }
  }

  private String count() {
    return removed == 1 ? "1 record" : "%,d records".formatted(removed);
  }

  private JsonNode delete(ServerClient server) {
    try {
      return server.delete(ApiPath.of("records", recordSet, "under").with("key", key), Map.of());
    } catch (ApiException | CommandException.Unavailable e) {
      if (removed > 0) {
        options.err().println("%s removed before this:".formatted(count()));
        tellOfUnpublished();
      }
      throw e;
    }
  }

  private boolean isConfirmed(Console console) {
    if (yes) {
      return true;
    }
    if (console == null) {
      throw new CommandException.Usage(
          "this removes all records of %s whose keys begin with %s; say so with --yes"
              .formatted(recordSet, key));
    }
    String answer =
        console.readLine(
            "Remove all records of %s whose keys begin with %s? [y/N] ", recordSet, key);
    return answer != null && answer.strip().matches("(?i)y(es)?");
  }
}
