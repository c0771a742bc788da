package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LifecycleTest {
  private final List<String> happened = Collections.synchronizedList(new ArrayList<>());
  private final Lifecycle lifecycle = new Lifecycle(line -> {});

  @AfterEach
  void close() {
    lifecycle.close();
  }

  @Test
  void startsPartsAfterThoseThatTheyNeedAndStopsThemBefore() {
    add(PartName.BROKER, Set.of(), false);
    add(PartName.CONNECT, Set.of(PartName.BROKER), false);

    lifecycle.startAll();
    assertThat(lifecycle.stopAll()).isEmpty();

    assertThat(happened).containsExactly("+broker", "+connect", "-connect", "-broker");
    assertThat(lifecycle.runs(PartName.BROKER)).isFalse();
  }

  @Test
  void stopsPartsAfterThoseThatUseThemWhateverTheirOrder() {
    add(PartName.CONNECT, Set.of(), Set.of(PartName.KV_STORE, PartName.SQS), false);
    add(PartName.SQS, Set.of(), false);
    add(PartName.KV_STORE, Set.of(), false);
    lifecycle.startAll();
    happened.clear();

    lifecycle.stopAll();

    assertThat(happened).hasSize(3).startsWith("-connect");
  }

  @Test
  void stopsWhatRunsWhenAPartCannotStart() {
    add(PartName.BROKER, Set.of(), false);
    add(PartName.CONNECT, Set.of(PartName.BROKER), true);

    assertThatThrownBy(lifecycle::startAll)
        .isInstanceOf(StackException.class)
        .hasMessage("cannot start connect: java.io.IOException: broken");

    assertThat(happened).containsExactly("+broker", "-connect", "-broker");
  }

  @Test
  void ignoresNeedsOfPartsThatWereNotAskedFor() {
    add(PartName.S3, Set.of(PartName.SQS), false);

    lifecycle.startAll();

    assertThat(happened).containsExactly("+s3");
    assertThatThrownBy(() -> lifecycle.get(PartName.SQS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("without sqs");
  }

  @Test
  void putsANewPartInPlaceWhenItRestarts() {
    add(PartName.BROKER, Set.of(), false);
    lifecycle.startAll();
    Part first = lifecycle.get(PartName.BROKER);

    lifecycle.restart(PartName.BROKER);

    assertThat(happened).containsExactly("+broker", "-broker", "+broker");
    assertThat(lifecycle.get(PartName.BROKER)).isNotSameAs(first);
  }

  private void add(PartName name, Set<PartName> needs, boolean broken) {
    add(name, needs, needs, broken);
  }

  private void add(PartName name, Set<PartName> needs, Set<PartName> uses, boolean broken) {
    lifecycle.add(name, () -> new FakePart(name, needs, uses, broken));
  }

  private final class FakePart implements Part {
    private final PartName name;
    private final Set<PartName> needs;
    private final Set<PartName> uses;
    private final boolean broken;

    FakePart(PartName name, Set<PartName> needs, Set<PartName> uses, boolean broken) {
      this.name = name;
      this.needs = needs;
      this.uses = uses;
      this.broken = broken;
    }

    @Override
    public PartName name() {
      return name;
    }

    @Override
    public Set<PartName> needs() {
      return needs;
    }

    @Override
    public Set<PartName> uses() {
      return uses;
    }

    @Override
    public void start() throws Exception {
      if (broken) {
        throw new java.io.IOException("broken");
      }
      happened.add("+" + name);
    }

    @Override
    public String address() {
      return "here";
    }

    @Override
    public void stop() {
      happened.add("-" + name);
    }
  }
}
