package io.indexview.streams.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.StopSignal.StoppedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RegistryWaitTest {
  private final StopSignal stop = new StopSignal();
  private final RegistryWait registryWait =
      new RegistryWait(stop, Duration.ofMillis(1), Duration.ofMillis(4));

  @Test
  void triesAgainUntilTheRegistryAnswers() {
    AtomicInteger calls = new AtomicInteger();

    String answer =
        registryWait.get(
            () -> {
              if (calls.incrementAndGet() < 4) {
                throw new RegistryException.Unavailable("down", null);
              }
              return "schema";
            });

    assertThat(answer).isEqualTo("schema");
    assertThat(calls).hasValue(4);
    assertThat(registryWait.waiting()).isZero();
  }

  @Test
  void passesAnAnswerOnAtOnceWhenItIsARefusal() {
    AtomicInteger calls = new AtomicInteger();

    assertThatThrownBy(
            () ->
                registryWait.get(
                    () -> {
                      calls.incrementAndGet();
                      throw new RegistryException.NotFound("no id 7");
                    }))
        .isInstanceOf(RegistryException.NotFound.class);
    assertThat(calls).hasValue(1);
  }

  @Test
  void waitsAlsoWhenTheRegistryRefusesTheApplication() {
    AtomicBoolean refused = new AtomicBoolean();

    assertThat(
            registryWait.<Integer, RuntimeException>get(
                () -> {
                  if (refused.compareAndSet(false, true)) {
                    throw new RegistryException("401", null);
                  }
                  return 1;
                }))
        .isEqualTo(1);
  }

  @Test
  void givesUpWhenTheAppCloses() {
    CompletableFuture<Object> waiting =
        CompletableFuture.supplyAsync(
            () ->
                registryWait.get(
                    () -> {
                      throw new RegistryException.Unavailable("down", null);
                    }));
    await().untilAsserted(() -> assertThat(registryWait.waiting()).isEqualTo(1));

    stop.stop();

    assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoppedException.class);
    assertThat(registryWait.waiting()).isZero();
  }

  @Test
  void keepsTheInterruptWhenInterrupted() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(
            () ->
                registryWait.get(
                    () -> {
                      throw new RegistryException.Unavailable("down", null);
                    }))
        .isInstanceOf(StoppedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
