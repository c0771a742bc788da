package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store in which two installations have a view of one name, each in a place of its own. */
class TwoInstallationsTest {
  private static final ReaderConfig KNOWING =
      StoredView.LOOKING.withMetaPrefixes(List.of("META", "INFO"));

  private final StoredKvView stored = new StoredKvView();
  private final ViewGeneration own = People.view("v", 1, People.BY_ORG);

  @AfterEach
  void close() {
    stored.close();
  }

  private void serveBoth(String place) {
    stored.serve(own);
    stored.serve(People.view("w", 1, People.BY_ORG));
    serveTheirs(place);
  }

  private void serveTheirs(String place) {
    String other =
        StoredView.metadata(People.view("v", 2, People.BY_ORG + place), 2, State.READY).toJson();
    stored.tell(ViewMetadata.fromJson(other.replace(StoredView.UID, "uid-of-another")));
  }

  /** The rows of the other one may be those of another definition. */
  @ParameterizedTest
  @ValueSource(strings = {"metaPrefix: INFO\n", "naming: hash\n"})
  void readersRefuseMetadataOfTwoInstallations(String place) {
    serveBoth(place);
    IndexViewReader reader = stored.reader(KNOWING);

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("v")))
        .withMessageContaining("/META/v")
        .withMessageContaining("another installation");
    assertThat(reader.read(ViewQuery.of("w")).generation()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"metaPrefix: INFO\n", "naming: hash\n"})
  void readersSeeThatAnotherOneCameLater(String place) {
    ManualClock clock = new ManualClock();
    stored.serve(own);
    stored.serve(People.view("w", 1, People.BY_ORG));
    IndexViewReader reader = stored.reader(KNOWING.withTime(clock));
    assertThat(reader.read(ViewQuery.of("v")).generation()).isEqualTo(1);
    serveTheirs(place);
    clock.pass(Duration.ofMinutes(1));

    assertThat(reader.read(ViewQuery.of("w")).generation()).isEqualTo(1);
    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("v")))
        .withMessageContaining("another installation");
  }

  /** The scan that looks for the other one is none of the read's that it is in. */
  @Test
  void readersGoOnWhereNoScanIsAnsweredAndLookAgainSoon() {
    ManualClock clock = new ManualClock();
    AtomicBoolean isAway = new AtomicBoolean();
    stored.serve(own);
    IndexViewReader reader =
        IndexViewReaders.of(
            withoutScansOfMetadata(stored.store(), isAway), KNOWING.withTime(clock));
    assertThat(reader.read(ViewQuery.of("v")).generation()).isEqualTo(1);
    serveTheirs("naming: hash\n");
    isAway.set(true);
    clock.pass(Duration.ofMinutes(1));
    assertThat(reader.read(ViewQuery.of("v")).generation()).isEqualTo(1);

    isAway.set(false);
    clock.pass(Duration.ofSeconds(15));
    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("v")))
        .withMessageContaining("another installation");
  }

  private static KvStore withoutScansOfMetadata(KvStore store, AtomicBoolean isAway) {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              if (isAway.get()
                  && arguments != null
                  && KvScan.under(KvKey.ofMajor("META")).equals(arguments[0])) {
                throw new KvStoreException.Unavailable("away");
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"metaPrefix: INFO\n", "naming: hash\n"})
  void theViewIsNotShown(String place) {
    serveBoth(place);

    // A store that takes more than two seconds is asked again.
    Awaitility.await()
        .untilAsserted(
            () -> {
              Visibility seen = visibility(own);
              assertThat(seen.answer()).isEqualTo(Visibility.Answer.PENDING);
              assertThat(seen.reason()).contains("/META/v", "another installation");
            });
  }

  private Visibility visibility(ViewGeneration serving) {
    return IndexViewReaders.over(stored.store(), null, new Topics("indexview"), KNOWING)
        .states()
        .visibility(StoredView.ready(serving, 1, "kv", 0));
  }

  /** A hash leaves out the view's name. */
  @Test
  void aViewWhosePlaceIsTakenSaysSo() {
    stored.serve(People.view("w", 1, People.BY_ORG + "naming: hash\n"));
    ViewGeneration hashed = People.view("v", 1, People.BY_ORG + "naming: hash\n");

    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(visibility(hashed).reason())
                    .contains("takes no state of it", "/META/", "describes view w"));
    assertThat(visibility(own).reason()).contains("has not written into target kv yet");
  }
}
