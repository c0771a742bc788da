package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.SourceState.ScanRequests;
import io.indexview.schemas.control.StoredValues;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import io.indexview.schemas.fixtures.ManualClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class SourceScansTest {
  private static final String TOPIC = "changes";
  private static final Optional<ScanRequests> ANSWERS = Optional.of(new ScanRequests(0, ""));
  private static final Optional<ScanRequests> REFUSES =
      Optional.of(new ScanRequests(0, "it lists its buckets only once"));

  private final ManualClock clock = new ManualClock();
  private final Map<String, SourceState> states = new HashMap<>();
  private final List<SourceRequest> asked = new ArrayList<>();
  private final List<String> waits = new ArrayList<>();
  private long taken;
  private long end = 7;
  private final SourceScans scans = new SourceScans(new Fake(), TOPIC, clock);
  private final long since = clock.millis();

  private final class Fake implements SourceScans.Pipeline {
    @Override
    public Collection<SourceState> states() {
      return states.values();
    }

    @Override
    public Optional<SourceRequest> standing() {
      return asked.isEmpty() ? Optional.empty() : Optional.of(asked.get(asked.size() - 1));
    }

    @Override
    public void ask(SourceRequest request) {
      asked.add(request);
    }

    @Override
    public Map<TopicPartition, Long> ends() {
      return Map.of(new TopicPartition(TOPIC, 0), end);
    }

    @Override
    public boolean hasTaken(Map<TopicPartition, Long> ends) {
      return ends.values().stream().allMatch(to -> to <= taken);
    }

    @Override
    public void close() {}
  }

  private void say(
      String source, long scanStartedAt, Optional<String> problem, Optional<ScanRequests> to) {
    say(source, scanStartedAt, problem, to, Optional.empty(), Optional.empty());
  }

  private void say(
      String source,
      long scanStartedAt,
      Optional<String> problem,
      Optional<ScanRequests> to,
      Optional<KeyScope> scope,
      Optional<StoredValues> values) {
    Scan scan =
        new Scan(3, scanStartedAt, scanStartedAt + 1, 42, false, 0, scope, Map.of(), Map.of());
    states.put(
        source,
        new SourceState(
            source,
            TOPIC,
            Optional.of("id"),
            "0",
            1,
            Optional.of(scan),
            Optional.empty(),
            clock.millis(),
            OptionalLong.empty(),
            problem,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            values,
            Optional.empty(),
            to));
  }

  /** Does one thing after the other each time that something is waited for. */
  private List<SourceScan> await(Runnable... then) {
    List<Runnable> left = new ArrayList<>(List.of(then));
    return scans.await(
        since,
        wait -> {
          waits.add(wait);
          if (left.isEmpty()) {
            throw new IllegalStateException("waits for ever: " + wait);
          }
          left.remove(0).run();
        });
  }

  @Test
  void asksOnceAndWaitsForTheScanAndThenForTheApp() {
    say("kv", since - 1, Optional.empty(), ANSWERS);

    List<SourceScan> found =
        await(
            () -> say("kv", since - 1, Optional.empty(), ANSWERS),
            () -> {
              say("kv", since + 5, Optional.empty(), ANSWERS);
              end = 9;
            },
            () -> taken = 8,
            () -> taken = 9);

    assertThat(asked)
        .containsExactly(new SourceRequest(TOPIC, clock.millis(), since, SourceRequest.Kind.SCAN));
    assertThat(found).containsExactly(new SourceScan("kv", "0", 3, since + 5, since + 6, 42, ""));
    assertThat(waits.get(0)).contains("source kv, 0");
    assertThat(waits.get(2)).contains("app", TOPIC);
  }

  @Test
  void asksNobodyWhereAScanBeganSince() {
    say("kv", since, Optional.empty(), ANSWERS);
    taken = end;

    assertThat(await()).extracting(SourceScan::number).containsExactly(3L);
    assertThat(asked).isEmpty();
  }

  /** Its clock is behind. */
  @Test
  void takesTheSourcesWordThatItHasAnswered() {
    asked.add(new SourceRequest(TOPIC, clock.millis() + 50, 1, SourceRequest.Kind.SCAN));
    say("kv", since - 100, Optional.empty(), ANSWERS);
    taken = end;

    await(
        () -> {
          assertThat(asked.get(1).number()).isEqualTo(clock.millis() + 51);
          say("kv", since - 90, Optional.empty(), answered(asked.get(0).number()));
        },
        () -> say("kv", since - 80, Optional.empty(), answered(asked.get(1).number())));

    assertThat(waits).hasSize(2);
  }

  private static Optional<ScanRequests> answered(long number) {
    return Optional.of(new ScanRequests(number, ""));
  }

  @Test
  void doesNotTakeAScanThatIsNotComplete() {
    say("kv", since + 1, Optional.of("object x is locked"), ANSWERS);

    assertThatThrownBy(() -> await()).hasMessageContaining("object x is locked");
  }

  @Test
  void namesWhoMakesNoScanAndWaitsForTheOthers() {
    say("kv", since - 1, Optional.empty(), ANSWERS);
    say("s3", since - 9, Optional.empty(), REFUSES);
    taken = end;

    List<SourceScan> found = await(() -> say("kv", since, Optional.empty(), ANSWERS));

    assertThat(found)
        .extracting(SourceScan::source, SourceScan::refused)
        .containsExactly(tuple("kv", ""), tuple("s3", "it lists its buckets only once"));
  }

  @Test
  void saysThatNobodySpeaksForTheRecords() {
    taken = end - 1;

    List<SourceScan> found = await(() -> taken = end);

    assertThat(found).hasSize(1);
    assertThat(found.get(0).refused()).contains(TOPIC, "Debezium");
    assertThat(asked).isEmpty();
  }

  @Test
  void refusesToTakeRecordsForUnexpectedRows() {
    Optional<StoredValues> kv = Optional.of(new StoredValues("json", "{}", Map.of()));
    Optional<KeyScope> people = Optional.of(new KeyScope("/Corporate/people", ".lob"));
    say("kv", since, Optional.empty(), ANSWERS, people, kv);
    say(
        "s3",
        since,
        Optional.empty(),
        ANSWERS,
        Optional.of(new KeyScope("IDX", null)),
        Optional.empty());

    scans.requireNoRecordsUnder("IDX");
    scans.requireNoRecordsUnder("Corp");
    assertThatThrownBy(() -> scans.requireNoRecordsUnder("Corporate"))
        .isInstanceOf(NotVerifiableException.class)
        .hasMessageContaining("source kv reads /Corporate/people");

    say("old", since, Optional.empty(), ANSWERS, Optional.empty(), kv);
    assertThatThrownBy(() -> scans.requireNoRecordsUnder("IDX"))
        .hasMessageContaining("source old does not tell");
  }

  @Test
  void waitsForASourceOfAnEarlierReleaseThatNobodyCanAsk() {
    say("kv", since - 1, Optional.empty(), Optional.empty());
    taken = end;

    await(() -> say("kv", since + 1, Optional.empty(), Optional.empty()));

    assertThat(asked).isEmpty();
    assertThat(waits.get(0)).contains("earlier release");
  }
}
