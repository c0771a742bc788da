package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.read.IndexViewReader.GenerationGoneException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.ReadOptions.NotReady;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.client.read.target.ViewRows.UnexpectedRowException;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.client.token.FreshnessGate;
import io.indexview.client.token.FreshnessToken;
import io.indexview.client.token.Gates;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What a reader makes of the state before and after a page. */
class CheckedReaderTest {
  private static final String VIEW = People.BY_ORG + "nulls: index\n";
  private static final ViewGeneration FIRST = People.view("v", 1, VIEW);
  private static final ViewGeneration SECOND = People.view("v", 2, VIEW);
  private static final ViewQuery QUERY = ViewQuery.of("v").withLimit(2);
  private static final ReadOptions STALE =
      ReadOptions.DEFAULT.withNotReady(new NotReady.AllowStale());

  private final FakeTarget target = new FakeTarget();
  private final IndexViewReader reader = reader(ReaderConfig.of(PageTokens.ofThisProcess()));

  /** Looks before and after each page. */
  private IndexViewReader reader(ReaderConfig config) {
    ReaderConfig looking = config.withMetadataMaxAge(Duration.ZERO);
    return new CheckedReader(target, new MetadataReads(target, looking), looking);
  }

  /** Tells one state after the other, the last again and again; each generation has five rows. */
  private static final class FakeTarget implements ViewTarget {
    private final Deque<Optional<ViewMetadata>> states = new ArrayDeque<>();

    /** Among whose rows something else lies; 0: none. */
    private int meddledWith;

    private int pages;

    private FakeTarget then(ViewGeneration serving, State state) {
      return then(Optional.of(StoredView.metadata(serving, states.size() + 1, state)));
    }

    private FakeTarget then(Optional<ViewMetadata> metadata) {
      states.add(metadata);
      return this;
    }

    @Override
    public Optional<ViewMetadata> metadata(String view) {
      return states.size() == 1 ? states.element() : states.remove();
    }

    @Override
    public Collection<String> views() {
      return List.of("other");
    }

    @Override
    public ViewRows rows(ViewGeneration generation) {
      return new FiveRows(this, generation);
    }
  }

  private record FiveRows(FakeTarget target, ViewGeneration generation) implements ViewRows {
    @Override
    public List<KeyField> fields(String index) {
      return generation.fields().key();
    }

    @Override
    public FoundRows read(RowRequest request) {
      target.pages++;
      if (generation.number() == target.meddledWith) {
        throw new UnexpectedRowException("/elsewhere", new LayoutException("no row"));
      }
      int from = request.after() == null ? 0 : ((Number) request.after().get("n")).intValue() + 1;
      int to = Math.min(5, from + request.rows());
      return new FoundRows(
          IntStream.range(from, to).mapToObj(this::row).toList(),
          to < 5,
          index -> Map.of("n", from + index));
    }

    private StoredRow row(int n) {
      return new StoredRow(
          Map.of(), "g" + generation.number() + "-" + n, Map.of(), OptionalLong.empty(), false);
    }
  }

  private static List<String> keys(RowPage page) {
    return page.rows().stream().map(RowPage.Row::primaryKey).toList();
  }

  @Test
  void readsAReadyView() {
    target.then(FIRST, State.READY);

    RowPage first = reader.read(QUERY);
    RowPage second = reader.read(QUERY.from(first.next()));
    RowPage last = reader.read(QUERY.withLimit(5).from(second.next()));

    assertThat(first.state()).isEqualTo(State.READY);
    assertThat(first.generation()).isEqualTo(1);
    assertThat(keys(first)).containsExactly("g1-0", "g1-1");
    assertThat(keys(second)).containsExactly("g1-2", "g1-3");
    assertThat(keys(last)).containsExactly("g1-4");
    assertThat(last.next()).isNull();
  }

  @Test
  void refusesAViewThatIsNotReady() {
    for (State state : List.of(State.BUILDING, State.DEGRADED, State.DELETING, State.UNKNOWN)) {
      target.states.clear();
      target.then(FIRST, state);

      assertThatExceptionOfType(ViewNotReadyException.class)
          .isThrownBy(() -> reader.read(QUERY))
          .withMessageContaining(state.name())
          .withMessageContaining("for a reason")
          .satisfies(e -> assertThat(e.state()).isEqualTo(state));
    }
  }

  @Test
  void refusesAPageThatWasReadyOnlyBefore() {
    target.then(FIRST, State.READY).then(FIRST, State.DEGRADED);

    assertThatExceptionOfType(ViewNotReadyException.class).isThrownBy(() -> reader.read(QUERY));
  }

  @Test
  void readsAgainFromTheGenerationThatTookOver() {
    target.then(FIRST, State.READY).then(SECOND, State.READY);

    RowPage page = reader.read(QUERY);

    assertThat(page.generation()).isEqualTo(2);
    assertThat(keys(page)).containsExactly("g2-0", "g2-1");
  }

  @Test
  void givesUpOnAViewThatChangesDuringEveryPage() {
    for (int i = 0; i < 20; i++) {
      target.then(i % 2 == 0 ? FIRST : SECOND, State.READY);
    }

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY))
        .withMessageContaining("changed while it was read");
  }

  /** What is none of the rows stays there, and a page may be a scan. */
  @Test
  void comesByAnUnexpectedRowOnlyOnce() {
    target.then(FIRST, State.READY).meddledWith = 1;
    NotReady wait = new NotReady.Wait(Duration.ofMinutes(1));

    for (ReadOptions options :
        List.of(ReadOptions.DEFAULT, STALE, ReadOptions.DEFAULT.withNotReady(wait))) {
      target.pages = 0;
      assertThatExceptionOfType(ViewNotReadyException.class)
          .isThrownBy(() -> reader.read(QUERY, options))
          .withMessageContaining("/elsewhere")
          .satisfies(e -> assertThat(e.state()).isEqualTo(State.DEGRADED));
      assertThat(target.pages).isEqualTo(1);
    }
    target.states.clear();
    target.then(FIRST, State.DEGRADED);
    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY, STALE))
        .withMessageContaining("/elsewhere");
  }

  @Test
  void readsFromTheGenerationThatTookOverFromOneWithAnUnexpectedRow() {
    target.then(FIRST, State.READY).then(SECOND, State.READY).meddledWith = 1;

    assertThat(keys(reader.read(QUERY))).containsExactly("g2-0", "g2-1");
  }

  @Test
  void waitsUntilTheViewIsReady() {
    target
        .then(FIRST, State.BUILDING)
        .then(FIRST, State.BUILDING)
        .then(FIRST, State.READY)
        .then(FIRST, State.DEGRADED)
        .then(FIRST, State.READY);
    ReadOptions wait = ReadOptions.DEFAULT.withNotReady(new NotReady.Wait(Duration.ofMinutes(1)));

    assertThat(reader.read(QUERY, wait).state()).isEqualTo(State.READY);
    assertThat(target.states).hasSize(1);
  }

  @Test
  void waitsNoLongerThanAsked() {
    target.then(FIRST, State.BUILDING);
    ReadOptions wait = ReadOptions.DEFAULT.withNotReady(new NotReady.Wait(Duration.ofMillis(20)));

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY, wait));
  }

  @Test
  void tellsTheStateOfStaleRows() {
    target.then(FIRST, State.READY).then(FIRST, State.DEGRADED);

    RowPage page = reader.read(QUERY, STALE);

    assertThat(page.state()).isEqualTo(State.DEGRADED);
    assertThat(page.reason()).isEqualTo("for a reason");
    assertThat(page.rows()).hasSize(2);
  }

  @Test
  void refusesStaleRowsWhereNothingServes() {
    target.then(
        Optional.of(
            new ViewMetadata(
                "v",
                "uid-1",
                1,
                0,
                State.BUILDING,
                "",
                "people",
                "sink",
                List.of(),
                ViewState.Freshness.UNKNOWN)));

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY, STALE))
        .withMessageContaining("none of its generations serves yet");
  }

  @Test
  void startsOverWhenTheTokensGenerationIsGone() {
    target.then(FIRST, State.READY);
    String token = reader.read(QUERY).next();
    target.states.clear();
    target.then(SECOND, State.READY);

    for (ReadOptions options : List.of(ReadOptions.DEFAULT, STALE)) {
      assertThatExceptionOfType(GenerationGoneException.class)
          .isThrownBy(() -> reader.read(QUERY.from(token), options))
          .withMessageContaining("generation gone")
          .withMessageContaining("generation 1")
          .withMessageContaining("start over");
    }
  }

  @Test
  void startsOverWhenTheViewIsSwitchedDuringAPage() {
    target.then(FIRST, State.READY);
    String token = reader.read(QUERY).next();
    target.states.clear();
    target.then(FIRST, State.READY).then(SECOND, State.READY);

    assertThatExceptionOfType(GenerationGoneException.class)
        .isThrownBy(() -> reader.read(QUERY.from(token)));
  }

  @Test
  void saysThatAViewWasDroppedBetweenOrDuringPages() {
    target.then(FIRST, State.READY).then(Optional.empty());

    assertThatExceptionOfType(ViewNotFoundException.class)
        .isThrownBy(() -> reader.read(QUERY))
        .withMessageContaining("other");
    assertThatExceptionOfType(ViewNotFoundException.class).isThrownBy(() -> reader.read(QUERY));
  }

  @Test
  void refusesTokensOfOtherQueriesAndViews() {
    target.then(FIRST, State.READY);
    ViewQuery asked = QUERY.where("org", "Support");
    String token = reader.read(asked).next();

    for (ViewQuery other :
        List.of(
            QUERY,
            asked.inDescendingOrder(),
            QUERY.where("org", "Sales"),
            QUERY.where("org", null),
            asked.where(new ViewQuery.Range(null, "2017-08-20", true, null, true)),
            asked.where("date", "2017-08-20"))) {
      assertThatExceptionOfType(InvalidPageTokenException.class)
          .isThrownBy(() -> reader.read(other.from(token)))
          .withMessageContaining("another query");
    }
    ViewQuery elsewhere = ViewQuery.of("w").where("org", "Support").from(token);
    assertThatExceptionOfType(InvalidPageTokenException.class)
        .isThrownBy(() -> reader.read(elsewhere))
        .withMessageContaining("view v")
        .withMessageContaining("view w");
    assertThat(reader.read(asked.withLimit(1).from(token)).rows()).hasSize(1);
  }

  @Test
  void refusesQueriesThatItWasNotMadeFor() {
    target.then(FIRST, State.READY);
    ReadOptions options =
        ReadOptions.DEFAULT
            .fetching()
            .with(ReadOptions.Consistency.EVENTUAL)
            .atLeast(new FreshnessToken("t", 0, 0), Duration.ofSeconds(1));

    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> reader.read(QUERY, options))
        .satisfies(e -> assertThat(e.problems()).hasSize(3));
  }

  /** The state says READY until the controller has read the dead letter. */
  @Test
  void doesNotPassOffRowsThatTheSinkRejectedAsReady() {
    target.then(FIRST, State.READY);
    RecordSetInfo people =
        new RecordSetInfo(
            "people",
            FIRST.sourceTopic(),
            1,
            "envelope",
            List.of(),
            "{}",
            "the-app",
            Set.of(),
            Set.of(),
            0);
    FreshnessGate gate = Gates.rejecting(new TopicPartition(FIRST.viewTopic(), 0), people);
    IndexViewReader waiting = reader(ReaderConfig.of(PageTokens.ofThisProcess()).waitingWith(gate));
    FreshnessToken token = new FreshnessToken(FIRST.sourceTopic(), 0, 0);

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> waiting.read(QUERY, ReadOptions.DEFAULT.atLeast(token, Duration.ZERO)))
        .withMessageContaining("it is too large")
        .satisfies(e -> assertThat(e.state()).isEqualTo(State.DEGRADED));
    RowPage stale = waiting.read(QUERY, STALE.atLeast(token, Duration.ZERO));
    assertThat(stale.state()).isEqualTo(State.DEGRADED);
    assertThat(stale.reason()).contains("it is too large");
    assertThat(stale.rows()).hasSize(2);
  }

  private static Optional<ViewMetadata> visibleBefore(long ageMs, String heldBackBy) {
    ViewMetadata ready = StoredView.metadata(FIRST, 1, State.READY);
    return Optional.of(
        new ViewMetadata(
            ready.view(),
            ready.uid(),
            ready.version(),
            ready.changedAtMs(),
            ready.state(),
            ready.reason(),
            ready.recordSet(),
            ready.sinkGroup(),
            ready.generations(),
            new ViewState.Freshness(
                OptionalLong.of(System.currentTimeMillis() - ageMs), heldBackBy)));
  }

  @Test
  void readsRowsThatAreKnownToBeFreshEnough() {
    target.then(visibleBefore(60_000, ""));
    RowPage page = reader.read(QUERY, ReadOptions.DEFAULT.notOlderThan(Duration.ofMinutes(10)));
    assertThat(page.rows()).hasSize(2);
    assertThat(page.visibleBefore()).isPresent();
    assertThat(page.reason()).isEmpty();
  }

  @Test
  void refusesRowsThatAreNotKnownToBeFreshEnough() {
    ReadOptions fresh = ReadOptions.DEFAULT.notOlderThan(Duration.ofSeconds(5));
    target.then(visibleBefore(60_000, "the sink"));
    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY, fresh))
        .withMessageContainingAll("READY, but not as it was asked for", "held back by the sink")
        .satisfies(refused -> assertThat(refused.state()).isEqualTo(State.READY));

    target.states.clear();
    target.then(FIRST, State.READY);
    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(QUERY, fresh))
        .withMessageContaining("no time");
  }

  @Test
  void waitsForRowsThatAreFreshEnough() {
    target
        .then(visibleBefore(60_000, ""))
        .then(visibleBefore(60_000, ""))
        .then(visibleBefore(0, ""));
    ReadOptions fresh =
        ReadOptions.DEFAULT
            .withNotReady(new NotReady.Wait(Duration.ofMinutes(1)))
            .notOlderThan(Duration.ofSeconds(30));
    assertThat(reader.read(QUERY, fresh).rows()).hasSize(2);
  }

  @Test
  void readsOlderRowsIfAllowedAndSaysSo() {
    target.then(visibleBefore(60_000, ""));
    RowPage page = reader.read(QUERY, STALE.notOlderThan(Duration.ofSeconds(5)));
    assertThat(page.state()).isEqualTo(State.READY);
    assertThat(page.reason()).contains("were asked for");
  }
}
