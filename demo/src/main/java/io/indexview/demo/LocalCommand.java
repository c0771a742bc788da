package io.indexview.demo;

import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
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
      names = "--port",
      paramLabel = "PART=PORT",
      description =
          "Port of a part (broker, registry, connect, dynamodb, sqs, s3); repeatable. Default:"
              + " the last run's port, or a free one.")
  private Map<PartName, Integer> ports = new EnumMap<>(PartName.class);

  @Override
  public Integer call() {
    StackRunner runner = new StackRunner(spec.commandLine().getOut(), spec.commandLine().getErr());
    return runner.run(
        config(),
        STOPPED,
        stack -> {
          PrintWriter out = spec.commandLine().getOut();
          PipelineSpec spec = ShippedPipeline.of(stack.dataDirectory());
          Pipeline.deploy(stack, spec, AppLauncher.inProcess(), line -> out.println("  " + line));
          out.println("  server  " + LocalServer.start(stack, spec));
          return runner.untilInterrupted();
        });
  }

  private StackConfig config() {
    StackConfig.Builder config = StackConfig.builder().dataDirectory(data);
    try {
      ports.forEach(config::port);
      return config.build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
