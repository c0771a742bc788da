package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.admin.TargetStates.Visibility.Answer;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.client.read.target.ViewTarget.UnreadableMetadataException;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Whether readers see what a state says. */
class MetadataStatesTest {
  private static final ViewGeneration FIRST = People.view("v", 1, People.BY_ORG);
  private static final ViewGeneration SECOND = People.view("v", 2, People.BY_ORG);

  /** What the target says. */
  private Supplier<Optional<ViewMetadata>> stored = Optional::empty;

  private Optional<ViewTarget.History> history = Optional.empty();

  private final TargetStates states =
      new MetadataStates(reads(), Set.of("kv"), Duration.ofMinutes(1));

  private MetadataReads reads() {
    return new MetadataReads(new StoredMetadata(), ReaderConfig.of(PageTokens.ofThisProcess()));
  }

  private final class StoredMetadata implements ViewTarget {
    @Override
    public Optional<ViewMetadata> metadata(String view) {
      return stored.get();
    }

    @Override
    public Optional<History> history(ViewGeneration generation) {
      return history;
    }

    @Override
    public Collection<String> views() {
      return List.of();
    }

    @Override
    public ViewRows rows(ViewGeneration generation) {
      throw new UnsupportedOperationException();
    }
  }

  private void tell(ViewGeneration serving, long version, State state) {
    stored = () -> Optional.of(StoredView.metadata(serving, version, state));
  }

  private static ViewState ready(ViewGeneration serving, long version, String target) {
    return StoredView.ready(serving, version, target, 0);
  }

  private Visibility poll() {
    return states.visibility(ready(SECOND, 7, "kv"));
  }

  private void assertPending(String why) {
    assertThat(poll().answer()).isEqualTo(Answer.PENDING);
    assertThat(poll().reason()).contains("target kv", why);
  }

  @Test
  void waitsForTheSink() {
    assertPending("connect-the-sink");
    tell(FIRST, 6, State.READY);
    assertPending("read what served before");
    tell(SECOND, 6, State.BUILDING);
    assertPending("READY");

    tell(SECOND, 7, State.READY);
    assertThat(poll()).isEqualTo(Visibility.SHOWN);
  }

  @Test
  void namesWhatAnEarlierInstallationLeft() {
    history = Optional.of(new ViewTarget.History(6, "/META-history/v"));
    assertPending("connect-the-sink");

    history = Optional.of(new ViewTarget.History(9, "/META-history/v"));
    assertPending("/META-history/v holds version 9 of an earlier installation");
    assertPending("and this is 7");
  }

  /** As after these were restored from a backup, and the target was not. */
  @Test
  void saysThatTheTopicsOfTheStatesAreOlderThanTheTarget() {
    tell(SECOND, 9, State.READY);
    assertThat(poll()).as("of the same time: the state is read late").isEqualTo(Visibility.SHOWN);

    Visibility restored = states.visibility(StoredView.ready(SECOND, 7, "kv", 1));
    assertThat(restored.answer()).isEqualTo(Answer.PENDING);
    assertThat(restored.reason()).contains("version 9, and this is 7", "of an earlier moment");
  }

  /** Its rows may be those of another definition. */
  @Test
  void doesNotTakeTheViewOfAnotherInstallationForThisOne() {
    for (long version : List.of(6L, 7L, 9L)) {
      String json = StoredView.metadata(SECOND, version, State.READY).toJson();
      ViewMetadata other = ViewMetadata.fromJson(json.replace(StoredView.UID, "uid-of-another"));
      stored = () -> Optional.of(other);
      assertPending("its metadata describes a view of this name of another installation");
    }
  }

  /** While it puts metadata where there was none, the sink writes the version first. */
  @Test
  void doesNotGoByTheVersionAlone() {
    tell(SECOND, 7, State.BUILDING);

    assertPending("READY");
  }

  /** The version rises with every count of rows; under load the target never shows the newest. */
  @Test
  void acceptsAnOlderVersionThatSaysTheSame() {
    tell(SECOND, 5, State.READY);

    assertThat(poll()).isEqualTo(Visibility.SHOWN);
  }

  @Test
  void waitsForATargetThatDoesNotAnswer() {
    stored =
        () -> {
          throw new KvStoreException.Unavailable("the shard is away");
        };
    assertPending("the shard is away");

    stored =
        () -> {
          throw new UnreadableMetadataException(
              "/META/v", new IllegalArgumentException("it has a state that is not known"));
        };
    assertPending("a state that is not known");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whoever waits would wait for good. */
  @Test
  void goesByTheStateWhereItMayNotLook() {
    for (RuntimeException refusal :
        List.of(
            new ItemStoreException.Permanent("not authorized", null),
            new KvStoreException.Misconfigured("not authorized"))) {
      stored =
          () -> {
            throw refusal;
          };

      assertThat(poll().answer()).isEqualTo(Answer.UNKNOWN);
      assertThat(poll().reason()).contains("target kv cannot be read", "not authorized");
    }
  }

  @Test
  void holdsUpNobodyWhileTheTargetIsAway() throws InterruptedException {
    AtomicInteger polls = new AtomicInteger();
    CountDownLatch back = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    stored =
        () -> {
          polls.incrementAndGet();
          await(back);
          over.countDown();
          return Optional.empty();
        };
    TargetStates hasty = new MetadataStates(reads(), Set.of("kv"), Duration.ofMillis(1));

    for (int i = 0; i < 3; i++) {
      Visibility seen = hasty.visibility(ready(SECOND, 7, "kv"));
      assertThat(seen.answer()).isEqualTo(Answer.PENDING);
      assertThat(seen.reason()).contains("target kv", "no answer within 1 ms");
    }
    back.countDown();
    over.await();
    assertThat(polls).hasValue(1);
  }

  @Test
  void saysWhatCannotBeLookedAt() {
    assertThat(states.visibility(ready(SECOND, 7, "dynamodb")))
        .isEqualTo(TargetStates.NONE.visibility(ready(SECOND, 7, "dynamodb")));
    assertThat(states.visibility(ready(SECOND, 7, "jdbc")))
        .satisfies(seen -> assertThat(seen.answer()).isEqualTo(Answer.UNKNOWN))
        .satisfies(seen -> assertThat(seen.reason()).contains("jdbc keeps no state"));
  }

  @Test
  void looksAtTheStoresOfTheReaders() {
    ReaderConfig config = ReaderConfig.of(PageTokens.ofThisProcess());
    try (StoredKvView stored = new StoredKvView()) {
      TargetStates real =
          IndexViewReaders.over(stored.store(), null, new Topics("indexview"), config).states();
      assertThat(real.visibility(ready(FIRST, 1, "kv")).answer()).isEqualTo(Answer.PENDING);
      stored.serve(FIRST);

      // A store that takes more than two seconds is asked again.
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(real.visibility(ready(FIRST, 1, "kv"))).isEqualTo(Visibility.SHOWN));
      assertThat(real.visibility(ready(FIRST, 1, "dynamodb")).answer()).isEqualTo(Answer.UNKNOWN);
    }
  }
}
