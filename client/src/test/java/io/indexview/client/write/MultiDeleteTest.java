package io.indexview.client.write;

import static io.indexview.client.write.People.key;
import static io.indexview.client.write.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.write.MultiDelete.MultiDeleteException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.change.Op;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MultiDeleteTest {
  private static final KvPartialKey ALL = new KvPartialKey(People.PREFIX);
  private static final Duration TIME = Duration.ofMinutes(1);

  @TempDir private Path directory;
  private final FakeBroker broker = new FakeBroker();
  private final FakeBroker.Client client = broker.client();
  private KvStore store;
  private Writer writer;
  private int executionsLeft = Integer.MAX_VALUE;
  private int executions;
  private int scans;

  @BeforeEach
  void open() {
    store = People.open(directory);
    writer =
        new Writer(
            failingLater(store),
            People.config(100),
            People.CODEC,
            client.producer(),
            broker.registry,
            Clock.systemUTC());
    for (String name : List.of("ada", "bob", "cyd")) {
      writer.put(key(name), person(name, 1));
      writer.put(key(name).child("mail"), person(name, 2));
      client.arrive();
      client.arrive();
    }
  }

  @AfterEach
  void close() {
    writer.close();
    store.close();
  }

  /** As the store, until it has executed so often. */
  private KvStore failingLater(KvStore real) {
    return (KvStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("execute")) {
                executions++;
                if (executionsLeft-- <= 0) {
                  throw new KvStoreException.Unavailable("no majority");
                }
              }
              if (method.getName().equals("storeKeysIterator")) {
                scans++;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private List<String> left() {
    return ALL.page(store, KvKeySet.under(People.PREFIX), null, 100).records().stream()
        .map(r -> r.key().toString())
        .toList();
  }

  private static List<KvKey> keys(MultiDelete done) {
    return done.removed().stream().map(Written::key).toList();
  }

  @Test
  void removesTheRecordsOfAMajorPathTogetherAndTellsOfEach() {
    MultiDelete done = writer.multiDelete(new KvPartialKey(key("bob")), 10, TIME);

    assertThat(keys(done)).containsExactly(key("bob"), key("bob").child("mail"));
    assertThat(done.atomic()).isTrue();
    assertThat(done.more()).isFalse();
    assertThat(left()).hasSize(4).noneMatch(key -> key.contains("bob"));
    client.arrive();
    client.arrive();
    assertThat(broker.log().subList(6, 8)).allMatch(event -> event.event().op() == Op.DELETE);
    assertThat(client.underWay()).isZero();
  }

  @Test
  void removesByAPartOfTheMinorPath() {
    MultiDelete done = writer.multiDelete(new KvPartialKey(key("bob").child("mail")), 10, TIME);

    assertThat(keys(done)).containsExactly(key("bob").child("mail"));
    assertThat(store.get(key("bob"))).isPresent();
  }

  @Test
  void leavesTheRecordsOfOtherRecordSetsAlone() {
    WriterConfig mails =
        new WriterConfig(
            "mails",
            KvKeySet.of(People.PREFIX, List.of("/-/mail")),
            "test.changes.mails",
            "7",
            "tests",
            100);
    try (Writer other =
        new Writer(
            store,
            mails,
            People.CODEC,
            broker.client().producer(),
            broker.registry,
            Clock.systemUTC())) {
      assertThat(keys(other.multiDelete(new KvPartialKey(key("bob")), 10, TIME)))
          .containsExactly(key("bob").child("mail"));
      assertThat(other.multiDelete(ALL, 10, TIME).removed()).hasSize(2);
      for (WriteOperation foreign :
          List.of(
              new WriteOperation.Put(key("bob"), person("bob", 2)),
              new WriteOperation.Delete(key("bob")),
              new WriteOperation.Delete(key("bob").child("mail").child("home")))) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> other.write(foreign))
            .withMessageContaining("/-/mail");
      }
    }
    assertThat(left()).hasSize(3).noneMatch(key -> key.contains("mail"));
  }

  @Test
  void saysThatSeveralMajorPathsWentOneByOne() {
    MultiDelete done = writer.multiDelete(ALL, 10, TIME);

    assertThat(done.removed()).hasSize(6);
    assertThat(done.atomic()).isFalse();
    assertThat(done.more()).isFalse();
    assertThat(left()).isEmpty();
    assertThat(writer.multiDelete(ALL, 10, TIME))
        .isEqualTo(new MultiDelete(List.of(), true, false));
  }

  @Test
  void leavesAMajorPathThatDoesNotFitInWhole() {
    MultiDelete first = writer.multiDelete(ALL, 3, TIME);

    KvKey path = keys(first).get(0);
    assertThat(keys(first)).containsExactly(path, path.child("mail"));
    assertThat(first.more()).isTrue();
    assertThat(first.atomic()).isFalse();
    assertThat(left()).hasSize(4);
  }

  @Test
  void cutsAMajorPathThatNeverFits() {
    MultiDelete first = writer.multiDelete(ALL, 1, TIME);

    assertThat(keys(first)).hasSize(1);
    assertThat(first.more()).isTrue();
    assertThat(first.atomic()).isFalse();
    assertThat(left()).hasSize(5);
  }

  @Test
  void saysWhatIsRemovedWhenTheStoreFailsMidway() {
    executionsLeft = 1;

    assertThatThrownBy(() -> writer.multiDelete(ALL, 10, TIME))
        .isInstanceOfSatisfying(
            MultiDeleteException.class,
            failure ->
                assertThat(keys(failure.done()).stream().map(KvKey::majorKey).distinct())
                    .hasSize(1))
        .hasMessageContainingAll("2 records", "/Corporate/people/", "no majority");
    assertThat(left()).hasSize(4);
    assertThatThrownBy(() -> writer.multiDelete(ALL, 10, TIME))
        .isInstanceOf(KvStoreException.Unavailable.class);
  }

  @Test
  void removesLargeRecordsOfAMajorPathInOneTransaction() {
    for (String name : List.of("a", "b", "c")) {
      store.put(KvKey.ofMajor("Corporate", "people", "eve").child(name), new byte[5 << 20]);
    }
    int before = executions;

    MultiDelete done = writer.multiDelete(new KvPartialKey(key("eve")), 10, TIME);

    assertThat(done.removed()).hasSize(3);
    assertThat(done.atomic()).isTrue();
    assertThat(executions - before).isOne();
  }

  @Test
  void looksAtTheKeysOnceForManyMajorPaths() {
    for (int i = 0; i < 50; i++) {
      store.put(key("p" + i), new byte[] {1});
    }

    assertThat(writer.multiDelete(ALL, 100, TIME).removed()).hasSize(56);
    assertThat(scans).isOne();
  }

  @Test
  void beginsNoFurtherMajorPathWhenTheTimeIsOver() {
    MultiDelete first = writer.multiDelete(ALL, 10, Duration.ZERO);

    assertThat(first.removed()).hasSize(2);
    assertThat(first.more()).isTrue();
    assertThat(left()).hasSize(4);
  }

  @Test
  void refusesWhatIsNotOfTheRecordSetOrTooMuch() {
    KvPartialKey above = new KvPartialKey(KvKey.ofMajor("Corporate"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> writer.multiDelete(above, 10, TIME))
        .withMessageContaining("/Corporate/people");
    assertThatIllegalArgumentException().isThrownBy(() -> writer.multiDelete(ALL, 0, TIME));
    assertThatIllegalArgumentException().isThrownBy(() -> writer.multiDelete(ALL, 101, TIME));
    assertThat(left()).hasSize(6);
  }
}
