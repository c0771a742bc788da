package io.indexview.demo;

import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.ExitCode;

/** One run of {@code indexview demo} on a stack: deploys the pipeline and runs the job. */
final class DemoRun implements StackRunner.Task {
  private final DemoPlan plan;
  private final PrintWriter out;
  private final PrintWriter err;

  DemoRun(DemoPlan plan, PrintWriter out, PrintWriter err) {
    this.plan = plan;
    this.out = out;
    this.err = err;
  }

  /** The stack that the plan needs; without a directory it is temporary. */
  static StackConfig stack(Path dataDirectory) {
    StackConfig.Builder config = StackConfig.builder();
    if (dataDirectory != null) {
      config.dataDirectory(dataDirectory);
    }
    return config.build();
  }

  @Override
  public int run(LocalStack stack) throws IOException, InterruptedException {
    Path views = plan.writeViews(stack.dataDirectory());
    Pipeline pipeline =
        Pipeline.deploy(
            stack, plan.pipeline(views), AppLauncher.inProcess(), line -> out.println("  " + line));
    try (Clients clients = Clients.of(stack)) {
      return new DemoJob(plan, pipeline, clients, out).run() ? ExitCode.OK : ExitCode.SOFTWARE;
    } catch (InputException e) {
      err.println(e.getMessage());
      return ExitCode.USAGE;
    }
  }
}
