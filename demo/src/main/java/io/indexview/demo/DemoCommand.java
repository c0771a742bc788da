package io.indexview.demo;

import io.indexview.local.LocalStack;
import io.indexview.local.StackException;
import io.indexview.local.pipeline.PipelineSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview demo}. */
@Command(
    name = "demo",
    description =
        "Starts the whole stack, or takes one that runs, runs the main job on real data, and proves"
            + " that every view holds exactly the rows it should.",
    exitCodeList = {
      "0:every view is exact",
      "1:a view is not, or the stack failed",
      "2:the input cannot be used",
      "130:ended by Ctrl-C"
    })
final class DemoCommand implements Callable<Integer> {
  private static final int INTERRUPTED = 130;

  @Spec private CommandSpec spec;

  @ArgGroup(exclusive = false, heading = "%nYour own data (all four belong together):%n")
  private Own own;

  @Option(
      names = "--files",
      paramLabel = "DIR",
      defaultValue = "${sys:indexview.home:-.}",
      description = "Directory whose files go into the bucket. Default: this project.")
  private Path files;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where the stack keeps its data. Default: a temporary directory.")
  private Path data;

  @Option(
      names = "--stack",
      paramLabel = "FILE",
      description =
          "Uses the deployed stack whose addresses are in this properties file, and starts none."
              + " It must carry the record sets; views that are missing are defined.")
  private Path stack;

  @Option(names = "--keep", description = "Leave the stack running after the proof, until Ctrl-C.")
  private boolean keep;

  private static final class Own {
    @Option(
        names = "--records",
        required = true,
        paramLabel = "FILE",
        description =
            "Records, one JSON object per line, plain or gzipped. Given several times: successive"
                + " snapshots of one data set, each applied as the changes since the one before.")
    private List<Path> records;

    @Option(
        names = "--schema",
        required = true,
        paramLabel = "FILE",
        description = "Avro schema of the records (.avsc).")
    private Path schema;

    @Option(
        names = "--key",
        required = true,
        paramLabel = "PATH",
        description = "Primary key of a record, for instance /World/city/{cityId}.")
    private String key;

    @Option(
        names = "--views",
        required = true,
        paramLabel = "DIR",
        description = "View definitions, one YAML or JSON file each.")
    private Path views;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (stack != null && (data != null || keep)) {
      throw new ParameterException(
          spec.commandLine(), "--stack: a stack that runs already takes neither --data nor --keep");
    }
    DemoPlan plan;
    DeployedStack deployed;
    try {
      deployed = stack == null ? null : DeployedStack.read(stack);
      Path root = files.toAbsolutePath().normalize();
      FileTree.of(root);
      plan =
          own == null
              ? DemoPlan.shipped(root)
              : new OwnData(own.records, own.schema, own.key, own.views).plan(root);
    } catch (InputException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return spec.exitCodeOnInvalidInput();
    }
    if (deployed != null) {
      return runOn(deployed, plan);
    }
    StackRunner runner = new StackRunner(out, spec.commandLine().getErr());
    DemoRun run = new DemoRun(plan, out, spec.commandLine().getErr());
    return runner.run(
        DemoRun.stack(data), INTERRUPTED, stack -> end(runner, stack, run.run(stack)));
  }

  private int runOn(DeployedStack deployed, DemoPlan plan) {
    PrintWriter err = spec.commandLine().getErr();
    try {
      return new DemoRun(plan, spec.commandLine().getOut(), err).run(deployed);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return INTERRUPTED;
    } catch (IOException | RuntimeException e) {
      err.println(e instanceof StackException ? e.getMessage() : e.toString());
      err.flush();
      return StackRunner.FAILED;
    }
  }

  private int end(StackRunner runner, LocalStack stack, int exitCode) {
    if (!keep || exitCode != 0) {
      return exitCode;
    }
    LocalServer.start(stack, PipelineSpec.saved(stack.dataDirectory()).orElseThrow());
    spec.commandLine()
        .getOut()
        .println("%nThe other commands reach it with --data %s%n".formatted(stack.dataDirectory()));
    return runner.untilInterrupted();
  }
}
