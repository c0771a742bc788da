package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.local.LocalStack.KafkaExit;
import io.indexview.local.PartContext.Failures;
import org.apache.kafka.common.utils.Exit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaExitTest {
  private final Failures failures = new Failures();

  @BeforeEach
  void intercept() {
    KafkaExit.intercept(failures);
  }

  @AfterEach
  void release() {
    KafkaExit.release(failures);
  }

  @Test
  void reportsAFailureAndEndsTheThreadWhenKafkaExits() {
    assertThatThrownBy(() -> Exit.exit(3, "disk gone"))
        .isInstanceOf(KafkaExit.ExitRefusedException.class);

    assertThat(failures.first())
        .isCompletedWithValueMatching(
            failure -> failure.getMessage().contains("exit with status 3 (disk gone)"));
  }

  @Test
  void reportsAFailureWhenKafkaHalts() {
    assertThatThrownBy(() -> Exit.halt(1)).isInstanceOf(KafkaExit.ExitRefusedException.class);

    assertThat(failures.first())
        .isCompletedWithValueMatching(
            failure -> failure.getMessage().contains("halt with status 1"));
  }
}
