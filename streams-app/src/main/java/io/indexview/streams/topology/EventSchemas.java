package io.indexview.streams.topology;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the registry has answered for the schemas of events. Asked before an event comes to its
 * task: a task that waits for the registry within a transaction for longer than that may take loses
 * it, and the state is restored. Safe for use by several threads.
 */
final class EventSchemas {
  private static final Logger LOGGER = LoggerFactory.getLogger(EventSchemas.class);
  private static final int HEADER_BYTES = 5;
  private static final int REMEMBERED = 10_000;
  private static final Duration AGAIN = Duration.ofMillis(500);

  private final SchemaRegistry registry;
  private final Executor asking;
  private final Set<Integer> answered = ConcurrentHashMap.newKeySet();
  private final Map<Integer, CompletableFuture<Boolean>> asked = new ConcurrentHashMap<>();

  /**
   * @param asking may be held up by the registry
   */
  EventSchemas(SchemaRegistry registry, Executor asking) {
    this.registry = registry;
    this.asking = asking;
  }

  /**
   * Whether an event may come to its task. What the registry will never know is answered, too: the
   * task decides what becomes of it.
   *
   * @param untilNanos how long to wait, by {@link System#nanoTime}
   */
  boolean areAnswered(ConsumerRecord<byte[], byte[]> event, long untilNanos) {
    return isAnswered(event.key(), untilNanos) && isAnswered(event.value(), untilNanos);
  }

  private boolean isAnswered(byte[] bytes, long untilNanos) {
    if (bytes == null || bytes.length < HEADER_BYTES || bytes[0] != 0) {
      return true;
    }
    int id = ByteBuffer.wrap(bytes, 1, Integer.BYTES).getInt();
    if (answered.contains(id)) {
      return true;
    }
    CompletableFuture<Boolean> answer =
        asked.computeIfAbsent(
            id, unknown -> CompletableFuture.supplyAsync(() -> ask(unknown), asking));
    try {
      long waitNanos = Math.max(0, untilNanos - System.nanoTime());
      if (answer.get(waitNanos, TimeUnit.NANOSECONDS)) {
        if (answered.size() >= REMEMBERED) {
          // Whatever is no event may name any id.
          answered.clear();
        }
        answered.add(id);
        asked.remove(id);
        return true;
      }
      Executor later =
          CompletableFuture.delayedExecutor(AGAIN.toMillis(), TimeUnit.MILLISECONDS, asking);
      asked.replace(id, answer, CompletableFuture.supplyAsync(() -> ask(id), later));
      return false;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean ask(int id) {
    try {
      registry.byId(id);
      return true;
    } catch (RegistryException e) {
      LOGGER.debug("Schema id {} is not known now", id, e);
      return !e.isOutage();
    }
  }
}
