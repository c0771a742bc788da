package io.indexview.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Runs each benchmark once, as little as it can: that it works, not what it says. */
class IndexviewBenchTest {
  private static final String[] JMH = {
    "--rounds=1", "--forks=0", "--iterations=1", "--iteration-ms=1"
  };

  private final BenchRun bench = new BenchRun();

  private int runJmh(String benchmark, String... more) {
    String[] arguments = new String[JMH.length + more.length + 1];
    arguments[0] = benchmark;
    System.arraycopy(JMH, 0, arguments, 1, JMH.length);
    System.arraycopy(more, 0, arguments, JMH.length + 1, more.length);
    return bench.run(arguments);
  }

  @Test
  void derives() {
    assertThat(runJmh("derive", "--views=2")).isZero();
    assertThat(bench.out()).contains("naiveEvent", "decodeAlone");
  }

  @Test
  void encodesAndDecodes() {
    assertThat(runJmh("codec")).isZero();
    assertThat(bench.out()).contains("TIMESTAMP_MILLIS", "plainRead");
  }

  @Test
  void explainsItself() {
    assertThat(bench.run("--help")).isZero();
    assertThat(bench.out()).contains("scan", "sink", "queue", "verify", "derive", "codec", "all");
  }

  @Test
  void refusesWhatIsNoNumberOfRecords() {
    assertThat(bench.run("scan", "--sizes=0")).isEqualTo(2);
    assertThat(bench.err()).contains("--sizes: 0 must be at least 1");
  }
}
