package io.indexview.demo;

import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.local.pipeline.RecordSetsFile;
import io.indexview.schemas.config.InvalidConfigException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview local}. */
@Command(
    name = "local",
    description = {
      "Starts the whole stack on this machine and keeps it until Ctrl-C.",
      "A second start finds its data again. Everything listens on loopback only."
    },
    exitCodeList = {"0:stopped by Ctrl-C", "1:the stack could not start, or failed", "2:wrong use"})
final class LocalCommand implements Callable<Integer> {
  private static final int STOPPED = 0;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${sys:user.home}/.indexview/data",
      description = "Where everything is kept. Default: ${DEFAULT-VALUE}")
  private Path data;

  @Option(
      names = "--record-sets",
      paramLabel = "FILE",
      description =
          "Record sets of your own in place of the demo's: a properties file with record.sets,"
              + " record.set.NAME.prefix, record.set.NAME.schema.file and the like, or a directory"
              + " with a record-sets.properties. The next start with the same data needs it no"
              + " more.")
  private Path recordSets;

  @Option(
      names = "--port",
      paramLabel = "PART=PORT",
      description =
          "Port of a part (broker, registry, connect, dynamodb, sqs, s3); repeatable. Default:"
              + " the last run's port, or a free one.")
  private Map<PartName, Integer> ports = new EnumMap<>(PartName.class);

  @Option(
      names = "--kv-store",
      paramLabel = "HOST:PORT[,...]/STORE",
      description =
          "An Oracle NoSQL store of your own in place of the embedded one; needs --record-sets, as"
              + " only their records are read. Rows are written below the prefixes of your views"
              + " alone. The next start with the same data no longer needs it.")
  private String kvStore;

  @Option(
      names = "--kvclient",
      paramLabel = "DIR",
      description =
          "Directory of the store's kvclient.jar and the jars beside it: lib of the server's"
              + " release. The client that comes along cannot talk to current servers.")
  private Path kvClient;

  @Option(
      names = "--kv-security",
      paramLabel = "FILE",
      description = "Login properties file of the client, for a secured store.")
  private Path kvSecurity;

  @Override
  public Integer call() {
    Optional<OwnStore> store = ownStore();
    PipelineSpec own = null;
    if (recordSets != null) {
      try {
        own = RecordSetsFile.read(recordSets, data);
      } catch (InvalidConfigException e) {
        spec.commandLine().getErr().println(e.getMessage());
        spec.commandLine().getErr().flush();
        return spec.exitCodeOnInvalidInput();
      }
    }
    return run(own, store);
  }

  private Optional<OwnStore> ownStore() {
    try {
      Optional<OwnStore> store = OwnStore.of(data, kvStore, kvClient, kvSecurity);
      if (store.isPresent() && recordSets == null && PipelineSpec.saved(data).isEmpty()) {
        throw new IllegalArgumentException(
            "--kv-store needs --record-sets FILE: which records of the store there are");
      }
      return store;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /**
   * Runs until the process ends.
   *
   * @param own null: what the data directory's stack carried last, or the demo's record sets
   */
  private int run(PipelineSpec own, Optional<OwnStore> store) {
    StackRunner runner = new StackRunner(spec.commandLine().getOut(), spec.commandLine().getErr());
    return runner.run(
        config(store),
        STOPPED,
        stack -> {
          if (store.isPresent()) {
            store.get().save(stack.dataDirectory());
          }
          PrintWriter out = spec.commandLine().getOut();
          PipelineSpec carried = own == null ? ShippedPipeline.of(stack.dataDirectory()) : own;
          Pipeline.deploy(
              stack, carried, AppLauncher.inProcess(), line -> out.println("  " + line));
          out.println("  server  " + LocalServer.start(stack, carried));
          return runner.untilInterrupted();
        });
  }

  private StackConfig config(Optional<OwnStore> store) {
    StackConfig.Builder config = StackConfig.builder().dataDirectory(data);
    store.ifPresent(own -> config.ownKvStore(own.open()));
    try {
      ports.forEach(config::port);
      return config.build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** The pipeline of a stack that is started without records of its own. */
  static final class ShippedPipeline {
    private ShippedPipeline() {}

    /** What the data directory's stack carried last, else the demo's record sets and views. */
    static PipelineSpec of(Path dataDirectory) throws IOException {
      var saved = PipelineSpec.saved(dataDirectory);
      if (saved.isPresent()) {
        return saved.get();
      }
      DemoPlan plan = DemoPlan.shipped(Path.of(""));
      return plan.pipeline(plan.writeViews(dataDirectory))
          .withFileAttributes(PipelineSpec.FILE_ATTRIBUTES);
    }
  }
}
