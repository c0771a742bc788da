package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.oracle.MasterSearch.NodeStatus;
import io.indexview.kvstore.oracle.Shards.Master;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MasterSearchTest {
  /** On a busy machine others may take longer, and have to be asked again. */
  private static final Duration SHORT = Duration.ofMillis(500);

  private static final Callable<NodeStatus> REPLICA =
      () -> new NodeStatus(false, new Master("replica:1", 7, false));
  private static final Callable<NodeStatus> DOWN =
      () -> {
        throw new IOException("connection refused");
      };

  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger askedInVain = new AtomicInteger();

  private static Callable<NodeStatus> master(boolean isAuthoritative, long end) {
    return () -> new NodeStatus(true, new Master("master:1", end, isAuthoritative));
  }

  /** A process that stands still: it takes connections and answers nothing. */
  private NodeStatus hang() throws Exception {
    askedInVain.incrementAndGet();
    over.await();
    return master(true, 1).call();
  }

  @AfterEach
  void goOn() {
    over.countDown();
  }

  @Test
  void waitsForNoReplicaThatHangs() {
    MasterSearch search = new MasterSearch(Duration.ofMinutes(5));

    assertThat(search.among("rg1", Map.of("a", this::hang, "b", REPLICA, "c", master(true, 9))))
        .contains(new Master("master:1", 9, true));
    assertThat(over.getCount()).isOne();
  }

  @Test
  void goesByTheMasterWhomAMajorityFollows() {
    MasterSearch search = new MasterSearch();

    assertThat(search.among("rg1", Map.of("a", master(false, 5), "b", master(true, 9))))
        .contains(new Master("master:1", 9, true));
    assertThat(search.among("rg1", Map.of("a", master(false, 5), "b", REPLICA)))
        .contains(new Master("master:1", 5, false));
  }

  @Test
  void saysThatNobodyAnswers() {
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> new MasterSearch().among("rg1", Map.of("a", DOWN)))
        .withMessageContaining("none of the nodes of shard rg1 answers")
        .withMessageContaining("connection refused")
        .withCauseInstanceOf(IOException.class);
  }

  @Test
  void saysThatAllHangOrThatThereAreNone() {
    MasterSearch search = new MasterSearch(Duration.ofMillis(100));

    // Those that are not asked again, too.
    for (int i = 0; i < 2; i++) {
      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> search.among("rg1", Map.of("a", this::hang)))
          .withMessage("the nodes of shard rg1 hang: none answers within PT0.1S");
    }
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> search.among("rg1", Map.of()))
        .withMessage("no nodes of shard rg1 are known");
  }

  /** What it says when it goes on is of an earlier time. */
  @Test
  void doesWithoutAMasterThatHangsUntilItGoesOnAndTakesNoLateAnswer() {
    MasterSearch search = new MasterSearch(SHORT);
    Map<String, Callable<NodeStatus>> hanging = Map.of("a", this::hang, "b", REPLICA, "c", DOWN);
    for (int i = 0; i < 3; i++) {
      soon().until(() -> search.among("rg1", hanging).isEmpty());
    }
    assertThat(askedInVain.get()).isOne();

    over.countDown();
    List<Master> answers = new ArrayList<>();
    soon()
        .until(
            () -> {
              search
                  .among("rg1", Map.of("a", master(true, 9), "b", REPLICA))
                  .ifPresent(answers::add);
              return answers.size() == 3;
            });
    assertThat(answers).containsOnly(new Master("master:1", 9, true));
  }

  private static ConditionFactory soon() {
    return Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .ignoreException(KvStoreException.Unavailable.class);
  }
}
