package io.indexview.benchmarks.codec;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.jmh.JmhContest;
import io.indexview.benchmarks.jmh.JmhContest.Pair;
import io.indexview.benchmarks.jmh.JmhOptions;
import io.indexview.views.encoding.FieldType;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code codec}. */
@Command(
    name = "codec",
    mixinStandardHelpOptions = true,
    description =
        "Encoding and decoding of row keys and Avro messages, against the bare libraries.")
public final class CodecCommand implements Callable<Integer> {
  private static final List<String> TYPES =
      Stream.of(
              FieldType.STRING,
              FieldType.LONG,
              FieldType.DOUBLE,
              FieldType.DATE,
              FieldType.TIMESTAMP_MILLIS)
          .map(Enum::name)
          .toList();

  @Mixin private BenchOutput output;
  @Mixin private JmhOptions jmh;

  @Override
  public Integer call() throws Exception {
    Table keys = JmhContest.table("Key fields as text that sorts, against the JDK's text", "type");
    new JmhContest(
            KeyTextBenchmark.class,
            "type",
            List.of(new Pair("encode", "plainEncode"), new Pair("decode", "plainDecode")))
        .run(TYPES, jmh, output::progress, keys);
    output.print(keys);
    Table messages = JmhContest.table("Avro serde, against Avro alone", "record");
    new JmhContest(
            AvroBenchmark.class,
            "record",
            List.of(new Pair("write", "plainWrite"), new Pair("read", "plainRead")))
        .run(List.of("Person"), jmh, output::progress, messages);
    output.print(messages);
    return 0;
  }
}
