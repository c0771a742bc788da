package io.indexview.benchmarks.app;

import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  /**
   * Starts one in a process of its own, which says its address first.
   *
   * @param directory for its data and what it says on standard error
   */
  public static ChildJvm start(Path directory, String classPath) throws IOException {
    return ChildJvm.start(
        NAME,
        Files.createDirectories(directory.resolve("logs")),
        classPath,
        List.of("-XX:+UseSerialGC"),
        List.of(NAME, "--dir=" + directory.resolve("broker")));
  }

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
