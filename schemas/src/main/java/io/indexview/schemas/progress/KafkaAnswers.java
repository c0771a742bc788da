package io.indexview.schemas.progress;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** What clients of a cluster promise. */
public final class KafkaAnswers {
  private KafkaAnswers() {}

  /**
   * Waits for an answer, as long as its client does.
   *
   * @throws KafkaException what the client failed with
   */
  public static <T> T await(Future<T> answer) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause
          ? cause
          : new KafkaException(e.getCause().getMessage(), e.getCause());
    }
  }
}
