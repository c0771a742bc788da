package io.indexview.benchmarks.queue;

import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Receives and deletes, as many requests at once as it may, and looks at no message. */
final class BareLoop {
  private final QueueAccess access;

  BareLoop(QueueAccess access) {
    this.access = access;
  }

  /**
   * Takes so many messages, and returns when they are deleted.
   *
   * @return the queue, to be closed
   */
  EventQueue take(int messages) {
    EventQueue queue = access.open();
    Run run = new Run(queue, messages);
    for (int i = 0; i < access.receivers(); i++) {
      run.receive();
    }
    run.done.join();
    return queue;
  }

  private static final class Run {
    private final EventQueue queue;
    private final AtomicInteger toReceive;
    private final AtomicInteger toDelete;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    private Run(EventQueue queue, int messages) {
      this.queue = queue;
      this.toReceive = new AtomicInteger(messages);
      this.toDelete = new AtomicInteger(messages);
    }

    /** The next request goes out at once: deletes are not waited for. */
    private void receive() {
      if (toReceive.get() <= 0) {
        return;
      }
      queue
          .receive(QueueAccess.WAIT, QueueAccess.VISIBILITY)
          .thenAccept(
              messages -> {
                toReceive.addAndGet(-messages.size());
                receive();
                delete(messages);
              })
          .whenComplete(this::failed);
    }

    private void delete(List<QueueMessage> messages) {
      if (messages.isEmpty()) {
        return;
      }
      queue
          .deleteBatch(messages.stream().map(m -> new Receipt(m.id(), m.receiptHandle())).toList())
          .thenAccept(
              outcome -> {
                if (!outcome.equals(EventQueue.Outcome.DONE)) {
                  throw new IllegalStateException("not deleted: " + outcome);
                }
                if (toDelete.addAndGet(-messages.size()) <= 0) {
                  done.complete(null);
                }
              })
          .whenComplete(this::failed);
    }

    private void failed(Void nothing, Throwable thrown) {
      if (thrown != null) {
        done.completeExceptionally(thrown);
      }
    }
  }
}
