package io.indexview.demo.load;

import io.indexview.client.token.FreshnessToken;
import io.indexview.demo.ChildJvm;
import io.indexview.kvstore.KvKey;
import io.indexview.local.LocalStack;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Another process that reads views; it is asked by lines, and answers by lines. */
final class ReadingProcess implements AutoCloseable {
  private static final long TIMEOUT_S = 120;

  private final Process process;
  private final BufferedWriter questions;
  private final BlockingQueue<Reading.Answer> answers = new LinkedBlockingQueue<>();
  private final Semaphore free;

  private ReadingProcess(Process process, int maxOutstanding) {
    this.process = process;
    this.questions = process.outputWriter();
    this.free = new Semaphore(maxOutstanding);
    Thread listener = new Thread(this::listen, "reading-process");
    listener.setDaemon(true);
    listener.start();
  }

  /**
   * @param maxOutstanding then asking waits for answers
   */
  static ReadingProcess start(LocalStack stack, URI server, int maxOutstanding) throws IOException {
    Process process =
        ChildJvm.of(
                "256m",
                List.of(),
                ReaderMain.class,
                server.toString(),
                stack.bootstrapServers(),
                stack.registryUrl().toString(),
                stack.dynamoDbUrl().toString(),
                stack.config().topics().prefix(),
                Integer.toString(maxOutstanding))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    return new ReadingProcess(process, maxOutstanding);
  }

  private void listen() {
    process
        .inputReader()
        .lines()
        .forEach(
            line -> {
              answers.add(Reading.Answer.parse(line));
              free.release();
            });
  }

  void ask(int number, KvKey key, FreshnessToken token) throws IOException, InterruptedException {
    if (!free.tryAcquire(TIMEOUT_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the reading process does not answer");
    }
    questions.write(new Reading.Question(number, key.toString(), token).toString());
    questions.newLine();
    questions.flush();
  }

  /** So many answers, in whatever order. */
  List<Reading.Answer> answers(int count) throws InterruptedException {
    List<Reading.Answer> all = new ArrayList<>();
    while (all.size() < count) {
      Reading.Answer answer = answers.poll(TIMEOUT_S, TimeUnit.SECONDS);
      if (answer == null) {
        throw new IllegalStateException("%d of %d answers came".formatted(all.size(), count));
      }
      all.add(answer);
    }
    return all;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try {
      questions.close();
    } finally {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }
}
