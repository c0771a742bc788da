package io.indexview.demo;

import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview emulators}. */
@Command(
    name = "emulators",
    description = {
      "Starts what stands in for S3, SQS and the KV store, for trials with several processes, and"
          + " keeps it until Ctrl-C or SIGTERM.",
      "The bucket's notifications go to the queue. A second start finds all data again. Queue and KV"
          + " store ask nobody for a password: whoever reaches them reads and writes everything."
    },
    exitCodeList = {
      "0:stopped by Ctrl-C or SIGTERM",
      "1:a part could not start, or failed",
      "2:wrong use"
    })
final class EmulatorsCommand implements Callable<Integer> {
  private static final int STOPPED = 0;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "Where everything is kept.")
  private Path data;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Address to listen on, 0.0.0.0 for all. Default: ${DEFAULT-VALUE}")
  private InetAddress bind;

  @Option(
      names = "--host",
      paramLabel = "NAME",
      description =
          "Name by which others reach it, as in the queue's URL. Default: the address that it"
              + " listens on.")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "PART=PORT",
      description =
          "Port of a part (s3, sqs, kvstore); repeatable. Default: the last run's port, or a free"
              + " one.")
  private Map<PartName, Integer> ports = new EnumMap<>(PartName.class);

  @Override
  public Integer call() {
    StackRunner runner = new StackRunner(spec.commandLine().getOut(), spec.commandLine().getErr());
    return runner.run(config(), STOPPED, stack -> runner.untilInterrupted());
  }

  private StackConfig config() {
    StackConfig.Builder config =
        StackConfig.builder()
            .dataDirectory(data)
            .parts(PartName.SQS, PartName.S3, PartName.KV_STORE)
            .serveKvStore()
            .bind(bind)
            .host(host);
    try {
      ports.forEach(config::port);
      return config.build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
