package io.indexview.cli.demo;

import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** One run of {@code indexview demo}: the stack around the job. */
final class DemoRun implements Callable<Integer> {
  private final DemoPlan plan;
  private final Optional<Path> data;
  private final boolean keep;
  private final PrintWriter out;

  DemoRun(DemoPlan plan, Optional<Path> data, boolean keep, PrintWriter out) {
    this.plan = plan;
    this.data = data;
    this.keep = keep;
    this.out = out;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    StackConfig.Builder config = StackConfig.builder();
    data.ifPresent(config::dataDirectory);
    try (LocalStack stack = LocalStack.start(config.build(), this::progress)) {
      Path views = writeViews(stack.dataDirectory().resolve("views"));
      try (Pipeline pipeline =
              Pipeline.deploy(
                  stack, plan.pipeline(views), AppLauncher.inProcess(), this::progress);
          Clients clients = Clients.of(stack)) {
        return new DemoJob(plan, pipeline, clients, out).run() ? 0 : 1;
      }
    }
  }

  private Path writeViews(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Map.Entry<String, String> view : plan.views().entrySet()) {
      Files.writeString(directory.resolve(view.getKey()), view.getValue());
    }
    return directory;
  }

  private void progress(String line) {
    out.println("  " + line);
    out.flush();
  }
}
