package io.indexview.benchmarks.app;

import io.indexview.benchmarks.ChildJvm;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The broker's process. */
@Command(name = BrokerCommand.NAME, hidden = true)
public final class BrokerCommand implements Callable<Integer> {
  static final String NAME = "app-broker";

  @Spec private CommandSpec spec;

  @Option(names = "--dir", required = true)
  private Path directory;

  /** Says the broker's address. */
  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    StackConfig config =
        StackConfig.builder().parts(PartName.BROKER).dataDirectory(directory).build();
    try (LocalStack stack = LocalStack.start(config)) {
      ChildJvm.say(out, stack.bootstrapServers());
      System.in.transferTo(OutputStream.nullOutputStream());
    }
    return 0;
  }
}
