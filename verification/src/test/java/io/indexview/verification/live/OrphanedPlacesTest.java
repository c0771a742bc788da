package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.KnownViews;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.verification.TargetReader;
import io.indexview.verification.TargetReader.Orphaned;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Looks while views are created and dropped: known, then there, then gone, then no longer known. No
 * view comes back while somebody looks.
 */
class OrphanedPlacesTest {
  private static final int VIEWS = 8;
  private static final KnownViews NONE = new KnownViews("test", Set.of(), Map.of(), List.of());

  private final Set<String> known = new TreeSet<>();
  private final Set<String> there = new TreeSet<>();
  private final Set<String> removed = new TreeSet<>();
  private Random random;

  private void step() {
    String view = "view-" + random.nextInt(VIEWS);
    if (!removed.contains(view) && !known.contains(view)) {
      known.add(view);
    } else if (!removed.contains(view) && !there.contains(view)) {
      there.add(view);
    } else if (there.remove(view)) {
      removed.add(view);
    } else {
      known.remove(view);
    }
  }

  private void goOn() {
    while (random.nextInt(4) > 0) {
      step();
    }
  }

  private KnownViews views() {
    goOn();
    KnownViews read = new KnownViews("test", Set.copyOf(known), Map.of(), List.of());
    goOn();
    return read;
  }

  private List<Orphaned> find(Set<String> orphans) {
    TargetReader target =
        target((views, visitor, meter) -> visit(visitor, orphaned(views, orphans)));
    return OrphanedPlaces.find(this::views, target, (bytes, readUnits) -> {});
  }

  private static void visit(Predicate<Orphaned> visitor, List<Orphaned> all) {
    for (Orphaned one : all) {
      if (!visitor.test(one)) {
        return;
      }
    }
  }

  /** A read of a target. */
  private interface Reading {
    void orphaned(KnownViews known, Predicate<Orphaned> visitor, TargetReader.Meter meter);
  }

  private static TargetReader target(Reading reading) {
    return target(reading, List.of());
  }

  @SuppressWarnings("unchecked")
  private static TargetReader target(Reading reading, List<NotLookedFor> notLookedFor) {
    return (TargetReader)
        Proxy.newProxyInstance(
            TargetReader.class.getClassLoader(),
            new Class<?>[] {TargetReader.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("notLookedFor")) {
                return notLookedFor;
              }
              reading.orphaned(
                  (KnownViews) arguments[0],
                  (Predicate<Orphaned>) arguments[1],
                  (TargetReader.Meter) arguments[2]);
              return null;
            });
  }

  /** Others come meanwhile, and the target gives those first. */
  @Example
  void findsTheFirstOnesWhereThereAreMoreThanAreTold() {
    int[] newer = {0};
    TargetReader target =
        target(
            (views, visitor, meter) -> {
              List<Orphaned> all = new ArrayList<>();
              for (int i = newer[0]; i < 2 * Findings.MAX_CASES; i++) {
                all.add(new Orphaned(Kind.ORPHANED_METADATA, "view-" + i, ""));
              }
              newer[0] -= Findings.MAX_CASES;
              visit(visitor, all);
            });

    List<Orphaned> found = OrphanedPlaces.find(() -> NONE, target, (bytes, readUnits) -> {});

    assertThat(found).hasSize(Findings.MAX_CASES);
    assertThat(found.get(0).id()).isEqualTo("view-0");
  }

  /** What the rows of the view are is known by then. */
  @Example
  void saysWhyItDidNotLook() {
    Findings findings = new Findings();

    assertThat(note(new RecordingMonitor(null), findings, failing("no quorum")))
        .isEqualTo(NotLookedFor.all("no quorum"));
    assertThat(
            OrphanedPlaces.note(
                "",
                () -> {
                  throw new IllegalStateException("view x cannot be read");
                },
                failing("never asked"),
                new RecordingMonitor(null),
                findings))
        .isEqualTo(NotLookedFor.all("view x cannot be read"));
    assertThat(findings.counts().orphaned()).isZero();
  }

  @Example
  void saysWhatTheTargetDoesNotLookFor() {
    List<NotLookedFor> rows = List.of(new NotLookedFor(Kind.ORPHANED_ROWS, "whose is a table?"));
    TargetReader target = target((views, visitor, meter) -> meter.consumed(0, 0), rows);

    assertThat(note(new RecordingMonitor(null), new Findings(), target)).isEqualTo(rows);
  }

  @Example
  void isHeardAndStoppedWhileItLooks() {
    TargetReader target = target((views, visitor, meter) -> meter.consumed(0, 0));
    RecordingMonitor hearing = new RecordingMonitor(null);

    assertThat(note(hearing, new Findings(), target)).isEmpty();
    assertThat(hearing.steps).containsExactly("looks for what belongs to no view");
    StoppedException stop = new StoppedException(Optional.of(Status.CANCELLED), "cancelled");
    assertThatThrownBy(() -> note(new RecordingMonitor(stop), new Findings(), target))
        .isSameAs(stop);
  }

  private static List<NotLookedFor> note(
      LiveVerification.Monitor monitor, Findings findings, TargetReader target) {
    return OrphanedPlaces.note("", () -> NONE, target, monitor, findings);
  }

  private static TargetReader failing(String reason) {
    return target(
        (views, visitor, meter) -> {
          throw new IllegalStateException(reason);
        });
  }

  private static final class RecordingMonitor implements LiveVerification.Monitor {
    private final List<String> steps = new ArrayList<>();
    private final RuntimeException failure;

    /**
     * @param failure null: none
     */
    RecordingMonitor(RuntimeException failure) {
      this.failure = failure;
    }

    @Override
    public void at(String step, Counts counts) {
      steps.add(step);
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void consumed(long bytes, double readUnits) {}

    @Override
    public void rowRead() {}

    @Override
    public void pause(Duration duration) {}
  }

  private List<Orphaned> orphaned(KnownViews views, Set<String> orphans) {
    List<Orphaned> found = new ArrayList<>();
    Set<String> names = new TreeSet<>(orphans);
    for (int i = 0; i < VIEWS; i++) {
      names.add("view-" + i);
    }
    for (String name : names) {
      goOn();
      boolean isThere = there.contains(name) || orphans.contains(name);
      if (isThere && !views.names().contains(name)) {
        found.add(new Orphaned(Kind.ORPHANED_METADATA, name, ""));
      }
    }
    return found;
  }

  @Property(tries = 2_000)
  void findsExactlyWhatBelongsToNoView(@ForAll(supplier = Seeds.class) long seed) {
    random = new Random(seed);
    List.of(known, there, removed).forEach(Set::clear);
    for (int i = 0; i < 15; i++) {
      step();
    }
    // Views that were dropped before may come back once.
    removed.clear();
    Set<String> orphans = random.nextBoolean() ? Set.of() : Set.of("orphan-1", "orphan-2");

    assertThat(find(orphans)).extracting(Orphaned::id).containsExactlyInAnyOrderElementsOf(orphans);
  }
}
