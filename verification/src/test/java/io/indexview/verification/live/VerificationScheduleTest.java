package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.verification.NotReadableHereException;
import io.indexview.verification.live.VerificationSchedule.Every;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class VerificationScheduleTest {
  private static final VerificationOptions SAMPLE =
      new VerificationOptions(Limits.NONE, 5, false, false, false);

  private static final Duration DAY = Duration.ofDays(1);

  private final ManualClock clock = new ManualClock();
  private final List<ViewVerification> known = new ArrayList<>();
  private final TreeSet<String> views = new TreeSet<>(List.of("a", "b", "c"));
  private final List<String> asked = new ArrayList<>();

  private void poll(Duration interval) {
    poll(unused -> interval);
  }

  private void poll(Function<String, Duration> intervals) {
    asked.clear();
    Map<String, Duration> ofViews = new TreeMap<>();
    views.forEach(view -> ofViews.put(view, intervals.apply(view)));
    new VerificationSchedule(
            () -> List.copyOf(known), known::remove, this::ask, () -> ofViews, clock)
        .once();
  }

  private void ask(String view) {
    asked.add(view);
    if (view.equals("a")) {
      throw new NotVerifiableException("no generation serves");
    }
  }

  private void add(String view, Status status, Duration ago) {
    add(view, status, ago, VerificationOptions.DEFAULT);
  }

  private void add(String view, Status status, Duration ago, VerificationOptions options) {
    long at = clock.millis() - ago.toMillis();
    known.add(0, new ViewVerification(view, "v" + known.size(), status, options, at, Run.NONE));
  }

  @Test
  void asksForViewsThatWereNotVerifiedForSoLong() {
    add("b", Status.DONE, Duration.ofHours(5));
    add("b", Status.FAILED, Duration.ofHours(2));
    add("c", Status.DONE, Duration.ofHours(3));

    poll(Duration.ofHours(3));

    assertThat(asked).containsExactly("a", "c");
  }

  @Test
  void waitsForAsLongAsAnIntervalCanBe() {
    add("b", Status.DONE, Duration.ofHours(5));

    poll(
        Map.of("a", Duration.ZERO, "b", Duration.ofMillis(Long.MAX_VALUE), "c", Duration.ZERO)
            ::get);

    assertThat(asked).isEmpty();
  }

  @Test
  void waitsForTheOneThatIsNotOver() {
    add("b", Status.RUNNING, Duration.ofDays(5));
    add("c", Status.REQUESTED, Duration.ofDays(5));

    poll(Duration.ofHours(3));

    assertThat(asked).containsExactly("a");
  }

  @Test
  void asksForEachViewAsOftenAsItSays() {
    add("b", Status.DONE, Duration.ofHours(2));
    add("c", Status.DONE, Duration.ofHours(2));

    poll(Map.of("a", Duration.ZERO, "b", Duration.ofHours(1), "c", Duration.ofHours(3))::get);

    assertThat(asked).containsExactly("b");
  }

  @Test
  void takesTheDefinitionsWordBeforeItsOwn() {
    Every every = new Every(Duration.ofHours(5), Map.of("b", Duration.ofHours(2)), Limits.NONE);

    assertThat(every.of("a", Optional.empty())).isEqualTo(Duration.ofHours(5));
    assertThat(every.of("b", Optional.empty())).isEqualTo(Duration.ofHours(2));
    assertThat(every.of("b", Optional.of(Duration.ofDays(1)))).isEqualTo(Duration.ofDays(1));
    assertThat(every.of("a", Optional.of(Duration.ZERO))).isEqualTo(Duration.ZERO);
  }

  @Test
  void countsNoSamples() {
    add("b", Status.DONE, Duration.ofHours(5));
    add("b", Status.DONE, Duration.ofHours(1), SAMPLE);
    add("c", Status.RUNNING, Duration.ofHours(1), SAMPLE);

    poll(Duration.ofHours(3));

    assertThat(asked).containsExactly("a", "b");
  }

  @Test
  void keepsTheLastOneOfAllRowsHoweverManySamplesCome() {
    add("b", Status.DONE, Duration.ofHours(9));
    add("b", Status.DONE, Duration.ofHours(8));
    add("b", Status.FAILED, Duration.ofHours(7));
    for (int i = 0; i < 20; i++) {
      add("b", Status.DONE, Duration.ofHours(6), SAMPLE);
    }

    assertThat(VerificationAdmin.forgotten(known))
        .extracting(ViewVerification::id)
        .containsExactly("v3", "v0");
  }

  @Test
  void asksForNoneWithoutAnInterval() {
    poll(Duration.ZERO);

    assertThat(asked).isEmpty();
  }

  @Test
  void goesOnAfterAnError() {
    boolean[] isAsked = {false};
    Supplier<List<ViewVerification>> topic =
        () -> {
          boolean isFirst = !isAsked[0];
          isAsked[0] = true;
          if (isFirst) {
            throw new NoClassDefFoundError("of a test");
          }
          return List.of();
        };
    try (VerificationSchedule schedule =
        new VerificationSchedule(topic, known::remove, this::ask, () -> Map.of("b", DAY), clock)) {
      schedule.tryOnce();
      schedule.tryOnce();
    }

    assertThat(asked).containsExactly("b");
  }

  @Test
  void saysOncePerOutageThatNoneIsScheduled() {
    boolean[] isDown = {false};
    Supplier<List<ViewVerification>> topic =
        () -> {
          if (isDown[0]) {
            throw new TimeoutException("no broker");
          }
          return List.of();
        };
    try (VerificationSchedule schedule =
            new VerificationSchedule(topic, known::remove, this::ask, Map::of, clock);
        LogLines log = LogLines.of(VerificationSchedule.class)) {
      for (int outage = 1; outage <= 2; outage++) {
        isDown[0] = true;
        schedule.tryOnce();
        schedule.tryOnce();
        isDown[0] = false;
        schedule.tryOnce();

        assertThat(log.get())
            .hasSize(outage)
            .containsOnly(
                "No verification is scheduled until Kafka and the registry answer, tried each 60 s");
      }
    }
  }

  @Test
  void saysOncePerOutageOfAViewThatNobodyReadsItHere() {
    boolean[] isRead = {false};
    Consumer<String> request =
        view -> {
          if (!isRead[0]) {
            throw view.equals("b")
                ? new NotReadableHereException("kvstore.uri is not set")
                : new NotVerifiableException("no generation serves");
          }
        };
    try (VerificationSchedule schedule =
            new VerificationSchedule(
                List::of, known::remove, request, () -> Map.of("a", DAY, "b", DAY), clock);
        LogLines log = LogLines.of(VerificationSchedule.class)) {
      for (int outage = 1; outage <= 2; outage++) {
        isRead[0] = false;
        schedule.once();
        schedule.once();
        isRead[0] = true;
        schedule.once();

        assertThat(log.get())
            .hasSize(outage)
            .containsOnly(
                "View b is due, and the schedule of this server cannot have it verified: kvstore.uri is not set");
      }
    }
  }

  /** As of one whose state an app of a newer release has published. */
  @Test
  void asksForTheOthersWhereOneCannotBeAskedForAndSaysWhichOnce() {
    Consumer<String> request =
        view -> {
          if (view.equals("a")) {
            throw new IllegalArgumentException("field \"swap\" is \"never\"");
          }
          asked.add(view);
        };
    try (VerificationSchedule schedule =
            new VerificationSchedule(
                List::of,
                known::remove,
                request,
                () -> new TreeMap<>(Map.of("a", DAY, "b", DAY)),
                clock);
        LogLines log = LogLines.of(VerificationSchedule.class)) {
      schedule.tryOnce();
      schedule.tryOnce();

      assertThat(asked).containsExactly("b", "b");
      assertThat(log.get())
          .containsExactly(
              "View a is due, and its verification cannot be asked for, which is tried each 60 s; perhaps the streams app is of a newer release, then upgrade this server: field \"swap\" is \"never\"");
    }
  }

  @Test
  void saysOfAViewWhatElseIsWrongWithIt() {
    RuntimeException notHere = new NotReadableHereException("kvstore.uri is not set");
    RuntimeException unreadable = new IllegalArgumentException("field \"swap\" is \"never\"");
    List<RuntimeException> thrown = new ArrayList<>(List.of(notHere, unreadable, unreadable));
    views.retainAll(List.of("a"));
    Consumer<String> request =
        view -> {
          throw thrown.remove(0);
        };
    Supplier<Map<String, Duration>> intervals = () -> views.isEmpty() ? Map.of() : Map.of("a", DAY);
    try (VerificationSchedule schedule =
            new VerificationSchedule(List::of, known::remove, request, intervals, clock);
        LogLines log = LogLines.of(VerificationSchedule.class)) {
      schedule.once();
      schedule.once();
      assertThat(log.get()).hasSize(2);

      views.clear();
      schedule.once();
      views.add("a");
      schedule.once();
      assertThat(log.get()).hasSize(3);
    }
  }

  @Test
  void forgetsThoseOfViewsThatAreGone() {
    add("b", Status.DONE, Duration.ofDays(50));
    add("gone", Status.DONE, Duration.ofHours(1));
    add("gone", Status.RUNNING, Duration.ofMinutes(1));

    poll(Duration.ZERO);

    assertThat(known).extracting(ViewVerification::view).containsExactly("gone", "b");
    assertThat(known.get(0).status()).isEqualTo(Status.RUNNING);
  }
}
