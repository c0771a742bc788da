package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.token.FreshnessToken;
import io.indexview.client.write.Writer;
import io.indexview.demo.LocalServer;
import io.indexview.local.LocalStack;
import io.indexview.local.pipeline.AppLauncher;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each write is followed by a read, with its freshness token, from another process; every one sees
 * its own write. How many: system property {@code reads}. Figures are in {@code
 * target/read-your-writes.txt}.
 */
@Timeout(600)
class ReadYourWritesIT {
  private static final int WRITES = Integer.getInteger("reads", 160);

  /** Each is written several times over, so that rows come and go. */
  private static final int KEYS = 40;

  private static final int BY_SERVER = 10;
  private static final int MAX_OUTSTANDING = 16;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private static final String DEFINITION = "name: %s\nsource: %s\nkey: [customer]\ntarget: %s\n";

  @TempDir private Path directory;

  @Test
  void everyReadSeesItsOwnWrite() throws Exception {
    String[] definitions =
        Arrays.stream(Reading.View.values())
            .map(view -> DEFINITION.formatted(view.viewName(), Orders.NAME, view.target()))
            .toArray(String[]::new);
    try (Shop shop = Shop.open(directory, Shop.ALL_PARTS, AppLauncher.inProcess(), definitions);
        Writer writer = shop.writer()) {
      for (Reading.View view : Reading.View.values()) {
        shop.awaitReady(view.viewName(), TIMEOUT);
      }
      URI server = LocalServer.start(shop.stack(), shop.spec());
      List<Reading.Answer> answers = writeAndRead(shop.stack(), writer, server);

      assertThat(answers).hasSize(WRITES).allMatch(Reading.Answer::seen);
    }
  }

  private List<Reading.Answer> writeAndRead(LocalStack stack, Writer writer, URI server)
      throws Exception {
    HttpOrders posted = new HttpOrders(server);
    SplittableRandom random = new SplittableRandom(1);
    try (ReadingProcess reader = ReadingProcess.start(stack, server, MAX_OUTSTANDING)) {
      long since = System.nanoTime();
      List<Reading.Answer> answers = new ArrayList<>();
      for (int number = 0; number < WRITES; number++) {
        if (number % KEYS == 0) {
          // What is not read yet would be gone.
          answers.addAll(reader.answers(number - answers.size()));
        }
        GenericRecord order = Orders.random(random);
        order.put("customer", "writer-" + number);
        int key = number % KEYS;
        FreshnessToken token =
            number % BY_SERVER == 0
                ? posted.put(Orders.key(key), order)
                : writer.put(Orders.key(key), order).token();
        reader.ask(number, Orders.key(key), token);
      }
      answers.addAll(reader.answers(WRITES - answers.size()));
      figures(answers, System.nanoTime() - since);
      return answers;
    }
  }

  private static void figures(List<Reading.Answer> answers, long nanos) throws Exception {
    List<String> figures = new ArrayList<>();
    figures.add(
        "%d writes, each read by another process, %d reads outstanding at most: %.1f a second"
            .formatted(WRITES, MAX_OUTSTANDING, WRITES / (nanos / 1e9)));
    for (Reading.View view : Reading.View.values()) {
      long[] millis =
          answers.stream()
              .filter(answer -> answer.view() == view)
              .mapToLong(Reading.Answer::millis)
              .sorted()
              .toArray();
      figures.add(
          "read of %s: median %d ms, 99 %% within %d ms, longest %d ms"
              .formatted(
                  view.viewName(),
                  millis[millis.length / 2],
                  millis[(millis.length * 99 - 1) / 100],
                  Arrays.stream(millis).max().orElseThrow()));
    }
    Files.write(Path.of("target", "read-your-writes.txt"), figures);
  }
}
