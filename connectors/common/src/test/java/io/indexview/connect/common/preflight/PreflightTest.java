package io.indexview.connect.common.preflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.config.ConfigProblems;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PreflightTest {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void findsNothingWrongWhenAllAnswer() {
    assertThat(new Preflight(LONG).with("a", "a:1", found -> {}).ask().isEmpty()).isTrue();
    assertThat(new Preflight(LONG).ask().isEmpty()).isTrue();
  }

  @Test
  void saysEverythingAtOnceEachAtItsKey() {
    ConfigProblems problems =
        new Preflight(LONG)
            .with("store", "store s:1", found -> found.add("store.user", "is not known"))
            .with(
                "broker",
                "brokers b:1",
                found -> {
                  throw new IllegalStateException("nobody listens");
                })
            .with(
                "registry",
                "schema registry r:1",
                found -> {
                  throw new IllegalStateException();
                })
            .ask();

    assertThatThrownBy(problems::throwIfAny)
        .hasMessageContainingAll(
            "store.user: is not known",
            "broker: nobody listens",
            "registry: schema registry r:1: java.lang.IllegalStateException");
  }

  @Test
  void explainsErrorsOfTheJvm() {
    ConfigProblems problems =
        new Preflight(LONG)
            .with(
                "store",
                "store s:1",
                found -> {
                  throw new NoClassDefFoundError("oracle/kv/Missing");
                })
            .with(
                "broker",
                "brokers b:1",
                found -> {
                  throw new NoSuchMethodError("close");
                })
            .ask();

    assertThatThrownBy(problems::throwIfAny)
        .hasMessageContainingAll(
            "store: store s:1: the plugin and this worker do not fit",
            "java.lang.NoClassDefFoundError: oracle/kv/Missing",
            "broker: brokers b:1: the plugin and this worker do not fit",
            "java.lang.NoSuchMethodError: close");
  }

  /** As a client in a read from a socket: deaf to interruption. */
  @Test
  @Timeout(60)
  void doesNotWaitForWhatHangs() {
    CountDownLatch never = new CountDownLatch(1);
    ConfigProblems problems =
        new Preflight(SOON)
            .with("store", "store s:1", found -> awaitDeaf(never))
            .with("broker", "brokers b:1", found -> found.add("topic", "does not exist"))
            .ask();
    never.countDown();

    assertThatThrownBy(problems::throwIfAny)
        .hasMessageContainingAll(
            "store: no answer within 2000 ms (preflight.timeout.ms): store s:1",
            "topic: does not exist");
  }

  private static void awaitDeaf(CountDownLatch latch) {
    boolean over = false;
    while (!over) {
      try {
        latch.await();
        over = true;
      } catch (InterruptedException e) {
        // goes on
      }
    }
  }

  @Test
  void endsWhenItIsInterrupted() {
    Thread.currentThread().interrupt();
    Preflight preflight =
        new Preflight(LONG).with("a", "a:1", found -> new CountDownLatch(1).await());

    assertThatThrownBy(preflight::ask).isInstanceOf(ConnectException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
