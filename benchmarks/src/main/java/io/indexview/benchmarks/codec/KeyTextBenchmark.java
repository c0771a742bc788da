package io.indexview.benchmarks.codec;

import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.SortableText;
import java.time.Instant;
import java.time.LocalDate;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Values of key fields as text that sorts as they do, against the JDK's own text of them, which
 * does not.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeyTextBenchmark {
  private static final int VALUES = 1 << 10;
  private static final long SEED = 42;
  private static final long MILLIS_OF_YEARS = 2_000_000_000_000L;
  private static final int DAYS = 40_000;

  @Param({"STRING", "LONG", "DOUBLE", "DATE", "TIMESTAMP_MILLIS"})
  public FieldType type;

  private final Object[] values = new Object[VALUES];
  private final String[] sortable = new String[VALUES];
  private final String[] plain = new String[VALUES];
  private SortableText text;
  private int next;

  @Setup
  public void prepare() {
    text = SortableText.of(type, false);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < VALUES; i++) {
      values[i] = value(random);
      sortable[i] = text.encode(values[i]);
      plain[i] = values[i].toString();
    }
  }

  private Object value(SplittableRandom random) {
    return switch (type) {
      case STRING -> "Organisation " + random.nextInt(VALUES);
      case LONG -> random.nextLong();
      case DOUBLE -> random.nextDouble(-1e6, 1e6);
      case DATE -> LocalDate.ofEpochDay(random.nextInt(DAYS));
      case TIMESTAMP_MILLIS -> Instant.ofEpochMilli(random.nextLong(MILLIS_OF_YEARS));
      default -> throw new IllegalArgumentException("type " + type + " is not measured");
    };
  }

  private int next() {
    next = (next + 1) % VALUES;
    return next;
  }

  @Benchmark
  public String encode() {
    return text.encode(values[next()]);
  }

  @Benchmark
  public String plainEncode() {
    return values[next()].toString();
  }

  @Benchmark
  public Object decode() {
    return text.decode(sortable[next()]);
  }

  @Benchmark
  public Object plainDecode() {
    String from = plain[next()];
    return switch (type) {
      case LONG -> Long.valueOf(from);
      case DOUBLE -> Double.valueOf(from);
      case DATE -> LocalDate.parse(from);
      case TIMESTAMP_MILLIS -> Instant.parse(from);
      default -> from;
    };
  }
}
