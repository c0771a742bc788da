package io.indexview.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class HealthResourceTest extends ServedTest {
  /** Whoever probes comes every few seconds. */
  @Test
  void saysOncePerOutageThatItIsNotReady() {
    for (int outage = 0; outage < 2; outage++) {
      server.views().fail(new TimeoutException("no broker"));

      assertThat(logged(HealthResource.class, () -> probeTwice(503)))
          .containsExactly(
              "The server is not ready, and is again when Kafka and the registry answer: no broker");
      server.reset();
      assertThat(logged(HealthResource.class, () -> probeTwice(200))).isEmpty();
    }
  }

  private static void probeTwice(int status) {
    for (int probe = 0; probe < 2; probe++) {
      assertThat(api.get("/health/ready").status()).isEqualTo(status);
    }
  }
}
