package io.indexview.benchmarks.queue;

import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * One task of the S3 source against what its queue allows: a loop that receives and deletes with as
 * many requests at once, and does nothing else; and the listener that users start from.
 */
final class QueueBenchmark {
  private static final String BARE = "receive and delete";
  private static final String SOURCE = "S3 source";
  private static final String NAIVE = "naive listener";
  private final Settings settings;
  private final Consumer<String> progress;

  /**
   * What is measured.
   *
   * @param messages that a trial takes
   * @param naiveMessages that one of the naive listener takes
   * @param receivers receive requests at once
   * @param warmUps rounds before the first contest
   */
  record Settings(int messages, int naiveMessages, int receivers, int warmUps, int rounds) {}

  /**
   * @param progress called with what happens
   */
  QueueBenchmark(Settings settings, Consumer<String> progress) {
    this.settings = settings;
    this.progress = progress;
  }

  /**
   * Runs a contest for each time that a request takes longer.
   *
   * @param roundTrips milliseconds
   */
  Table run(List<Integer> roundTrips) throws Exception {
    Table table =
        new Table(
            "One task of the S3 source, local queue, against a loop that receives and deletes",
            "round trip ms",
            "contestant",
            "messages/s",
            "ratio",
            "CPU us/message",
            "CPU ratio");
    try (MessageServer server = new MessageServer();
        NaiveListener naive = new NaiveListener()) {
      int warmUps = settings.warmUps();
      for (int roundTrip : roundTrips) {
        Outcome outcome = run(server, naive, roundTrip, warmUps);
        warmUps = 0;
        for (String contestant : List.of(BARE, SOURCE, NAIVE)) {
          table.row(
              "+" + roundTrip,
              contestant,
              Table.whole(outcome.rate(contestant)),
              outcome.ratio(contestant).toString(),
              Table.ratio(outcome.cpuMicros(contestant)),
              outcome.cpuRatio(contestant).toString());
        }
      }
    }
    return table;
  }

  private Outcome run(MessageServer server, NaiveListener naive, int roundTrip, int warmUps)
      throws Exception {
    String title = "round trip +%d ms".formatted(roundTrip);
    try (SlowLink link = SlowLink.to(server.port(), Duration.ofMillis(roundTrip))) {
      Trials trials = new Trials(server, link, settings.receivers());
      int messages = settings.messages();
      Contestant bare =
          trials.of(BARE, messages, (access, count) -> new BareLoop(access).take(count));
      Contestant source =
          trials.of(SOURCE, messages, (access, count) -> new SourceTask(access).take(count));
      Contestant listener =
          trials.of(
              NAIVE,
              settings.naiveMessages(),
              (access, count) -> {
                naive.take(access, count);
                return () -> {};
              });
      Contest.alternating(title, List.of(bare, source)).run(warmUps, 0, progress);
      return Contest.alternating(title, List.of(bare, source, listener))
          .run(1, settings.rounds(), progress);
    }
  }

  /** Takes some messages from a queue that has as many, and returns what is to be closed then. */
  private interface Taking {
    AutoCloseable take(QueueAccess access, int messages) throws Exception;
  }

  private record Trials(MessageServer server, SlowLink link, int receivers) {
    private Contestant of(String name, int messages, Taking taking) {
      return new Contestant(
          name,
          () -> {
            server.fillAnother(messages);
            // What lies in memory from before is not this trial's to clear up.
            System.gc();
            QueueAccess access = new QueueAccess(server.url(link.port()), receivers);
            AtomicReference<AutoCloseable> used = new AtomicReference<>();
            Callable<Integer> work =
                () -> {
                  used.set(taking.take(access, messages));
                  return messages;
                };
            Effort effort = Effort.of(work);
            used.get().close();
            server.requireEmpty();
            return effort;
          });
    }
  }

  /** Receives and deletes, as many requests at once as it may, and looks at no message. */
  private static final class BareLoop {
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
            .deleteBatch(
                messages.stream().map(m -> new Receipt(m.id(), m.receiptHandle())).toList())
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
}
