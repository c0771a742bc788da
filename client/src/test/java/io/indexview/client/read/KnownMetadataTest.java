package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.IndexViewReaders.SeveralTargets;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.StoredRow;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How long a reader goes by what it knows of a view. */
class KnownMetadataTest {
  private static final Duration MAX_AGE = Duration.ofMillis(500);
  private static final Duration ALMOST = MAX_AGE.minusNanos(1);
  private static final ViewGeneration FIRST = People.view("v", 1, People.BY_ORG);
  private static final ViewGeneration SECOND =
      People.view("v", 2, People.BY_ORG.replace("[org, date]", "[date, org]"));
  private static final ViewQuery QUERY = ViewQuery.of("v").withLimit(1);

  private final Store store = new Store();
  private final Store elsewhere = new Store();

  private final ManualClock clock = new ManualClock();
  private final ReaderConfig config =
      ReaderConfig.of(PageTokens.ofThisProcess()).withMetadataMaxAge(MAX_AGE).withTime(clock);
  private final ViewTarget target = new SeveralTargets(Map.of("kv", store, "dynamodb", elsewhere));
  private final MetadataReads reads = new MetadataReads(target, config);
  private final IndexViewReader reader = new CheckedReader(target, reads, config);

  /** Two rows of each generation that it holds. */
  private static final class Store implements ViewTarget {
    private Optional<ViewMetadata> stored = Optional.empty();
    private int reads;
    private Runnable duringPage = () -> {};
    private Runnable duringRead = () -> {};
    private Set<Integer> removed = Set.of();

    private void tell(ViewGeneration serving, long version, State state) {
      stored = Optional.of(StoredView.metadata(serving, version, state));
    }

    @Override
    public Optional<ViewMetadata> metadata(String view) {
      reads++;
      Optional<ViewMetadata> answer = stored.filter(metadata -> metadata.view().equals(view));
      Runnable event = duringRead;
      duringRead = () -> {};
      event.run();
      return answer;
    }

    @Override
    public Collection<String> views() {
      return stored.stream().map(ViewMetadata::view).toList();
    }

    @Override
    public ViewRows rows(ViewGeneration generation) {
      return new ViewRows() {
        @Override
        public List<KeyField> fields(String index) {
          return generation.fields().key();
        }

        @Override
        public FoundRows read(RowRequest request) {
          Runnable event = duringPage;
          duringPage = () -> {};
          event.run();
          return removed.contains(generation.number())
              ? FoundRows.NONE
              : new FoundRows(List.of(row(generation)), true, index -> Map.of("n", index));
        }
      };
    }

    private StoredRow row(ViewGeneration generation) {
      return new StoredRow(
          Map.of(), "g" + generation.number() + "-0", Map.of(), OptionalLong.empty(), false);
    }
  }

  @Test
  void readsAViewThatIsReadyInOneStoreWhileTheOtherDoesNotAnswer() {
    store.tell(FIRST, 1, State.READY);
    elsewhere.duringRead = KnownMetadataTest::fail;

    assertThat(reader.read(QUERY).generation()).isEqualTo(1);
  }

  @Test
  void knowsNothingOfAViewThatIsReadyInNoStoreThatAnswers() {
    store.tell(FIRST, 1, State.DELETING);
    elsewhere.duringRead = KnownMetadataTest::fail;

    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> reader.read(QUERY));
  }

  /** As after the loss of a cluster, when the view is defined anew for another target. */
  @Test
  void doesNotChooseBetweenTheViewsOfTwoInstallations() {
    store.tell(FIRST, 2, State.READY);
    String other = StoredView.metadata(SECOND, 900, State.READY).toJson();
    elsewhere.stored =
        Optional.of(ViewMetadata.fromJson(other.replace(StoredView.UID, "uid-of-another")));

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY))
        .withMessageContaining("target kv")
        .withMessageContaining("target dynamodb")
        .withMessageContaining("another installation");
  }

  private static void fail() {
    throw new IllegalStateException("no answer");
  }

  @Test
  void looksOnceForManyPages() {
    store.tell(FIRST, 1, State.READY);
    for (int i = 0; i < 10; i++) {
      assertThat(reader.read(QUERY).generation()).isEqualTo(1);
    }
    assertThat(store.reads).isEqualTo(1);

    clock.pass(ALMOST);
    reader.read(QUERY);
    assertThat(store.reads).isEqualTo(1);
    clock.pass(Duration.ofNanos(1));
    reader.read(QUERY);
    assertThat(store.reads).isEqualTo(2);
  }

  @Test
  void refusesAViewSoonAfterItStoppedBeingReady() {
    long version = 1;
    for (State state : List.of(State.DEGRADED, State.BUILDING, State.DELETING)) {
      store.tell(FIRST, version++, State.READY);
      clock.pass(MAX_AGE);
      reader.read(QUERY);
      store.tell(FIRST, version++, state);

      clock.pass(ALMOST);
      assertThat(reader.read(QUERY).state()).isEqualTo(State.READY);
      clock.pass(Duration.ofNanos(1));
      assertThatExceptionOfType(ViewNotReadyException.class)
          .isThrownBy(() -> reader.read(QUERY))
          .satisfies(refused -> assertThat(refused.state()).isEqualTo(state));
    }
  }

  @Test
  void readsAViewAsSoonAsItIsReady() {
    assertThatExceptionOfType(ViewNotFoundException.class).isThrownBy(() -> reader.read(QUERY));
    store.tell(FIRST, 1, State.BUILDING);
    assertThatExceptionOfType(ViewNotReadyException.class).isThrownBy(() -> reader.read(QUERY));
    store.tell(FIRST, 2, State.READY);

    assertThat(reader.read(QUERY).rows()).hasSize(1);
  }

  private void retireDuringPage(Runnable pause) {
    reader.read(QUERY);
    store.duringPage =
        () -> {
          store.tell(SECOND, 2, State.READY);
          store.removed = Set.of(1);
          pause.run();
        };
  }

  /** As one that is stopped between its read of the metadata and its read of the rows. */
  @Test
  void takesNoRowsForAPageThatWereRemovedWhileItWasPaused() {
    store.tell(FIRST, 1, State.READY);
    retireDuringPage(() -> clock.pass(ViewMetadata.MIN_GRACE));

    RowPage page = reader.read(QUERY);

    assertThat(page.generation()).isEqualTo(2);
    assertThat(page.rows()).hasSize(1);
  }

  /** The monotonic clock stands still meanwhile. */
  @Test
  void takesNoRowsForAPageThatWereRemovedWhileTheMachineSlept() {
    store.tell(FIRST, 1, State.READY);
    retireDuringPage(() -> clock.set(clock.millis() + ViewMetadata.MIN_GRACE.toMillis()));

    assertThat(reader.read(QUERY).generation()).isEqualTo(2);
  }

  @Test
  void takesNoRowsForAPageThatWereRemovedWhileTheClockWasSetBack() {
    store.tell(FIRST, 1, State.READY);
    retireDuringPage(
        () -> {
          clock.pass(ViewMetadata.MIN_GRACE);
          clock.setBack(Duration.ofHours(1));
        });

    assertThat(reader.read(QUERY).generation()).isEqualTo(2);
  }

  @Test
  void refusesAPageThatTookLongWhenTheViewIsDegradedByThen() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    store.duringPage =
        () -> {
          store.tell(FIRST, 2, State.DEGRADED);
          clock.pass(MAX_AGE);
        };

    assertThatExceptionOfType(ViewNotReadyException.class).isThrownBy(() -> reader.read(QUERY));
  }

  /** The next generation may have the field, or the index, that this one has not. */
  @Test
  void looksBeforeItRefusesAQuery() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    store.tell(SECOND, 2, State.READY);

    RowPage page = reader.read(QUERY.where("date", "2017-08-20"));

    assertThat(page.generation()).isEqualTo(2);
    store.tell(FIRST, 3, State.READY);
    assertThat(reader.read(QUERY.where("org", "Sales")).generation()).isEqualTo(1);
  }

  @Test
  void looksBeforeItSaysThatAGenerationIsGone() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    store.tell(SECOND, 2, State.READY);
    String token =
        new CheckedReader(target, new MetadataReads(target, config), config).read(QUERY).next();

    assertThat(reader.read(QUERY.from(token)).generation()).isEqualTo(2);
  }

  @Test
  void looksBeforeItSaysThatRowsAreTooOld() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    ViewMetadata ready = store.stored.orElseThrow();
    store.stored =
        Optional.of(
            new ViewMetadata(
                ready.view(),
                ready.uid(),
                2,
                0,
                ready.state(),
                "",
                ready.recordSet(),
                ready.sinkGroup(),
                ready.generations(),
                new ViewState.Freshness(OptionalLong.of(clock.millis()), "")));

    ReadOptions fresh = ReadOptions.DEFAULT.notOlderThan(Duration.ofSeconds(1));
    assertThat(reader.read(QUERY, fresh).visibleBefore()).contains(clock.instant());
  }

  /** So an application that waits for its change reads by it. */
  @Test
  void knowsWhatWasSeenInTheTarget() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    store.tell(SECOND, 2, State.READY);
    clock.pass(Duration.ofNanos(1));
    MetadataStates states = new MetadataStates(reads, Set.of("kv"), Duration.ofMinutes(1));
    ViewState second = StoredView.ready(SECOND, 2, "kv", 0);

    assertThat(states.visibility(second)).isEqualTo(Visibility.SHOWN);
    assertThat(reader.read(QUERY).generation()).isEqualTo(2);
  }

  @Test
  void asksOnlyTheTargetThatHasTheView() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    assertThat(elsewhere.reads).isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      clock.pass(MAX_AGE);
      reader.read(QUERY);
    }
    assertThat(store.reads).isEqualTo(4);
    assertThat(elsewhere.reads).isEqualTo(1);
  }

  /** By a drop, which its target shows. */
  @Test
  void followsAViewToAnotherTarget() {
    store.tell(FIRST, 1, State.READY);
    reader.read(QUERY);
    store.tell(FIRST, 2, State.DELETING);
    elsewhere.tell(FIRST, 7, State.READY);
    clock.pass(MAX_AGE);
    reader.read(QUERY);
    int reads = store.reads;
    store.stored = Optional.empty();
    clock.pass(MAX_AGE);

    assertThat(reader.read(QUERY).rows()).hasSize(1);
    assertThat(store.reads).isEqualTo(reads);
    elsewhere.stored = Optional.empty();
    clock.pass(MAX_AGE);
    assertThatExceptionOfType(ViewNotFoundException.class).isThrownBy(() -> reader.read(QUERY));
  }

  @Test
  void takesTheNewerOfTwoThatAreReady() {
    store.tell(FIRST, 1, State.READY);
    elsewhere.tell(SECOND, 2, State.READY);

    assertThat(reader.read(QUERY).generation()).isEqualTo(2);
  }

  /** An answer that was long under way does not bring back what was true before. */
  @Test
  void keepsTheLaterOfTwoOverlappingReads() {
    store.tell(FIRST, 1, State.READY);
    store.duringRead =
        () -> {
          store.tell(SECOND, 2, State.READY);
          clock.pass(Duration.ofNanos(1));
          reads.read("v");
        };
    reads.read("v");

    assertThat(reader.read(QUERY).generation()).isEqualTo(2);
  }

  @Test
  void refusesMetadataAgesOutOfBounds() {
    for (Duration age :
        List.of(Duration.ofNanos(-1), ReaderConfig.MAX_METADATA_AGE.plusMillis(1))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> config.withMetadataMaxAge(age))
          .withMessageContaining("metadataMaxAge " + age.toMillis() + " ms: use 0 to 5000 ms");
    }
    assertThat(config.withMetadataMaxAge(ReaderConfig.MAX_METADATA_AGE)).isNotNull();
  }
}
