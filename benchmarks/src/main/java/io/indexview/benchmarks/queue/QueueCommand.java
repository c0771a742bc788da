package io.indexview.benchmarks.queue;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code queue}. */
@Command(
    name = "queue",
    mixinStandardHelpOptions = true,
    description = "The S3 source against a loop that receives and deletes, and a naive listener.")
public final class QueueCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--messages",
      defaultValue = "20000",
      description = "Messages that a trial takes. Default: ${DEFAULT-VALUE}")
  private int messages;

  @Option(
      names = "--naive-messages",
      defaultValue = "60",
      description = "Messages that a trial of the naive listener takes. Default: ${DEFAULT-VALUE}")
  private int naiveMessages;

  @Option(
      names = "--warm-ups",
      defaultValue = "10",
      description =
          "Rounds of the source and the loop before the first that counts: the compiler takes as"
              + " many to be done with client and server. Default: ${DEFAULT-VALUE}")
  private int warmUps;

  @Option(
      names = "--receivers",
      defaultValue = "32",
      description =
          "Receive requests at once, of the source and of the loop. Default: ${DEFAULT-VALUE}")
  private int receivers;

  @Option(
      names = "--round-trips",
      split = ",",
      defaultValue = "0,20,40",
      description =
          "Milliseconds that a proxy adds to each request to the queue. Default: ${DEFAULT-VALUE}")
  private List<Integer> roundTrips;

  @Override
  public Integer call() throws Exception {
    output.require("--messages", List.of(messages));
    output.require("--naive-messages", List.of(naiveMessages));
    output.require("--warm-ups", List.of(warmUps));
    output.require("--receivers", List.of(receivers));
    QueueBenchmark.Settings settings =
        new QueueBenchmark.Settings(
            messages, naiveMessages, receivers, warmUps, rounds.count(output));
    output.print(new QueueBenchmark(settings, output::progress).run(roundTrips));
    return 0;
  }
}
