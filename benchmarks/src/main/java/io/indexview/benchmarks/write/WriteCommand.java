package io.indexview.benchmarks.write;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.TrialOptions;
import io.indexview.kvstore.KvDurability;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code write}. */
@Command(
    name = "write",
    mixinStandardHelpOptions = true,
    description =
        "Writes of primary records by client library and REST against bare puts and sends.")
public final class WriteCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private final TrialOptions trials = new TrialOptions(10_000, 2_000);

  @Option(
      names = "--records",
      split = ",",
      defaultValue = "1,50",
      description =
          "Records that a write puts, all of one major path; contests for each."
              + " Default: ${DEFAULT-VALUE}")
  private List<Integer> records;

  @Option(
      names = "--callers",
      split = ",",
      defaultValue = "1,8",
      description = "Callers at once, a contest each. Default: ${DEFAULT-VALUE}")
  private List<Integer> callers;

  @Option(
      names = "--durability",
      defaultValue = "write_no_sync",
      description = "Of the store: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private KvDurability durability;

  @Override
  public Integer call() throws Exception {
    output.require("--records", records);
    int minPeople = Collections.max(records) * WriteBenchmark.MIN_GROUPS;
    output.print(
        new WriteBenchmark(
                trials.plan(output, callers, minPeople), records, durability, output::progress)
            .run());
    return 0;
  }
}
