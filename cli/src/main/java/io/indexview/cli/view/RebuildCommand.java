package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.view.Readiness.Awaited;
import io.indexview.cli.view.ViewsCommand.VersionCondition;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview views rebuild}. */
@Command(
    name = "rebuild",
    description = "Builds a view anew; the present generation serves until the new one is READY.")
final class RebuildCommand implements Callable<Integer> {
  /** What a view can be built from. */
  enum From {
    STATE,
    CHANGELOG,
    SNAPSHOT,
    REPLAY
  }

  private static final String REPLAY_NOTE =
      """
      A replay is exact if the topic holds every event and none came later than tombstone.retention.ms.
      Checked is that the topic is not compacted and that none of its records are deleted; not how late
      events came, nor whether the topic was created anew. If you do not know: --from snapshot.\
      """;

  @Mixin private ServerOptions options;

  @Parameters(paramLabel = "VIEW", description = "Name of the view.")
  private String view;

  @Option(
      names = "--from",
      paramLabel = "FROM",
      defaultValue = "state",
      description = {
        "state: what the streams app holds (repairs the target).",
        "changelog: the same, restored from its changelog.",
        "snapshot: the same, after the sources published every record again.",
        "replay: the same, after the primary-change topic was materialized again from its start;"
            + " for a topic that holds every event.",
        "Default: ${DEFAULT-VALUE}"
      })
  private From from;

  @Mixin private VersionCondition version;
  @Mixin private WaitOptions wait;

  @Override
  public Integer call() throws InterruptedException {
    ServerClient server = options.client();
    Body body =
        Body.json(
            JsonNodeFactory.instance
                .objectNode()
                .put("from", from.name().toLowerCase(Locale.ROOT)));
    JsonNode spec = server.post(ApiPath.of("views", view, "rebuild"), body, version.headers());
    options
        .printer()
        .print(
            spec,
            out -> {
              out.println(
                  "%s is built anew from %s (build %d)"
                      .formatted(view, spec.path("from").asText(), spec.path("build").asLong()));
              if (from == From.REPLAY) {
                out.println(REPLAY_NOTE);
              }
            });
    return wait.await(List.of(Awaited.after(spec, view)), options, server);
  }
}
