package io.indexview.benchmarks.dynamodb;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.benchmarks.dynamodb.DynamoDbSinkBenchmark.DynamoDbSinkCase;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dynamodb-sink}. */
@Command(
    name = "dynamodb-sink",
    mixinStandardHelpOptions = true,
    description = "The DynamoDB sink against a bare loop of puts, on DynamoDB Local in memory.")
public final class DynamoDbSinkCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--rows",
      defaultValue = "5000",
      description = "Rows that a trial writes. Default: ${DEFAULT-VALUE}")
  private int rows;

  @Option(
      names = "--in-flight",
      defaultValue = "64",
      description = "Requests at once, of the sink and of the loop. Default: ${DEFAULT-VALUE}")
  private int inFlight;

  @Option(
      names = "--round-trip-ms",
      defaultValue = "0",
      description = "Added to each answer of the store. Default: ${DEFAULT-VALUE}")
  private int roundTripMs;

  @Option(
      names = "--table",
      defaultValue = "",
      description = "Only tables that begin with this: document, index.")
  private String table;

  @Option(
      names = "--mode",
      description = "Only this write mode: ${COMPLETION-CANDIDATES}. Default: both.")
  private WriteMode mode;

  @Override
  public Integer call() throws Exception {
    output.require("--rows", List.of(rows));
    output.require("--in-flight", List.of(inFlight));
    output.requireAtLeast(0, "--round-trip-ms", List.of(roundTripMs));
    DynamoDbSinkBenchmark.Settings settings =
        new DynamoDbSinkBenchmark.Settings(
            rounds.count(output), rows, inFlight, Duration.ofMillis(roundTripMs));
    output.print(
        new DynamoDbSinkBenchmark(settings, output::progress)
            .run(
                DynamoDbSinkCase.ALL.stream()
                    .filter(one -> one.shape().startsWith(table))
                    .filter(one -> mode == null || one.mode() == mode)
                    .toList()));
    return 0;
  }
}
