package io.indexview.local;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.pattern.Patterns;
import org.elasticmq.ImmediateNextDelivery$;
import org.elasticmq.MessageContent;
import org.elasticmq.NewMessageData;
import org.elasticmq.msg.LookupQueue;
import org.elasticmq.msg.SendMessage;
import scala.Option;
import scala.collection.immutable.Map$;

/**
 * Sends to one queue of the SQS server, past its REST API: a request there takes milliseconds of
 * parsing, which every change of an object in S3 would wait for.
 */
final class QueueSender {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final ActorRef queue;

  private QueueSender(ActorRef queue) {
    this.queue = queue;
  }

  /** A sender to a queue that exists. */
  static QueueSender of(ActorRef queues, String name) {
    Object found = ask(queues, new LookupQueue(name));
    if (found instanceof Option<?> option && option.isDefined()) {
      return new QueueSender((ActorRef) option.get());
    }
    throw new StackException("sqs has no queue " + name);
  }

  /** Returns when the message is stored. */
  void send(String body) {
    ask(
        queue,
        new SendMessage(
            new NewMessageData(
                Option.empty(),
                new MessageContent(body),
                Map$.MODULE$.empty(),
                ImmediateNextDelivery$.MODULE$,
                Option.empty(),
                Option.empty(),
                0,
                Option.empty(),
                Option.empty(),
                Option.empty())));
  }

  private static Object ask(ActorRef actor, Object question) {
    try {
      return Patterns.ask(actor, question, TIMEOUT)
          .toCompletableFuture()
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while asking sqs", e);
    } catch (ExecutionException e) {
      throw new StackException("sqs has failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new StackException("sqs did not answer in time", e);
    }
  }
}
