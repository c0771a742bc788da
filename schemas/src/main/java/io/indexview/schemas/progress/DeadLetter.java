package io.indexview.schemas.progress;

import io.indexview.schemas.control.ReasonText;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record of a dead-letter topic of Kafka Connect: key and value as they were, headers that say
 * where it came from and why it is here.
 *
 * @param topic empty: Connect did not say where it came from
 * @param retried whether the sink tried it again, as while the schema registry is away
 * @param reason what the sink said; of bounded length
 */
public record DeadLetter(
    Optional<String> topic, int partition, long offset, boolean retried, String reason) {
  private static final String PREFIX = "__connect.errors.";
  private static final String RETRIABLE = "org.apache.kafka.connect.errors.RetriableException";
  private static final int MAX_REASON = 500;

  public static DeadLetter of(ConsumerRecord<byte[], byte[]> message) {
    try {
      return new DeadLetter(
          text(message, "topic"),
          text(message, "partition").map(Integer::parseInt).orElse(-1),
          text(message, "offset").map(Long::parseLong).orElse(-1L),
          text(message, "exception.class.name").filter(RETRIABLE::equals).isPresent(),
          reason(message));
    } catch (NumberFormatException e) {
      return new DeadLetter(Optional.empty(), -1, -1, false, reason(message));
    }
  }

  private static String reason(ConsumerRecord<byte[], byte[]> message) {
    String reason =
        text(message, "exception.message")
            .or(() -> text(message, "exception.class.name"))
            .orElse(
                "the sink does not say why; set errors.deadletterqueue.context.headers.enable=true");
    return ReasonText.bounded(reason, MAX_REASON);
  }

  private static Optional<String> text(ConsumerRecord<byte[], byte[]> message, String name) {
    Header header = message.headers().lastHeader(PREFIX + name);
    return header == null || header.value() == null
        ? Optional.empty()
        : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
  }
}
