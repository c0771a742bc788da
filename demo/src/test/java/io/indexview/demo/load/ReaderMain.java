package io.indexview.demo.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.client.token.FreshnessGate;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.DynamoDbSettings;
import io.indexview.dynamodb.ItemStore;
import io.indexview.local.StackConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.server.config.HttpKeys;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The process that reads: questions on standard input, answers on standard output. */
final class ReaderMain {
  /** A server lets half of its threads wait. */
  private static final int BY_SERVER = HttpKeys.THREADS_DEFAULT / 2;

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final URI server;
  private final IndexViewReader reader;
  private final HttpClient http = HttpClient.newHttpClient();
  private final PrintWriter answers =
      new PrintWriter(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

  private ReaderMain(URI server, IndexViewReader reader) {
    this.server = server;
    this.reader = reader;
  }

  public static void main(String[] args) throws Exception {
    Map<String, Object> kafka = Map.of("bootstrap.servers", args[1]);
    Topics topics = new Topics(args[4]);
    Map<Reading.View, ExecutorService> threads =
        Map.of(
            Reading.View.BY_SERVER,
            Executors.newFixedThreadPool(BY_SERVER),
            Reading.View.BY_LIBRARY,
            Executors.newFixedThreadPool(Integer.parseInt(args[5])));
    try (SchemaRegistry registry = SchemaRegistries.create(Map.of("schema.registry.url", args[2]));
        ViewAdmin admin = ViewAdmin.connect(kafka, topics, registry, Clock.systemUTC());
        FreshnessGate gate = FreshnessGate.connect(kafka, topics, admin::recordSets);
        ItemStore items =
            DynamoDbItemStore.open(
                new DynamoDbSettings(
                    StackConfig.REGION,
                    URI.create(args[3]),
                    StackConfig.ACCESS_KEY,
                    StackConfig.SECRET_KEY,
                    16))) {
      ReaderMain main =
          new ReaderMain(
              URI.create(args[0]),
              IndexViewReaders.of(
                  items, topics, ReaderConfig.of(PageTokens.ofThisProcess()).waitingWith(gate)));
      BufferedReader questions =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        Reading.Question question = Reading.Question.parse(line);
        threads.get(question.view()).execute(() -> main.answer(question));
      }
    } finally {
      threads.values().forEach(ExecutorService::shutdownNow);
    }
  }

  private void answer(Reading.Question question) {
    long since = System.nanoTime();
    List<String> found = new ArrayList<>();
    try {
      found.addAll(
          question.view() == Reading.View.BY_SERVER ? byServer(question) : byLibrary(question));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (IOException | RuntimeException e) {
      found.add(e.toString());
    }
    long millis = (System.nanoTime() - since) / 1_000_000;
    boolean seen = found.equals(List.of(question.key()));
    synchronized (answers) {
      answers.println(new Reading.Answer(question.number(), seen, millis, "found " + found));
      answers.flush();
    }
  }

  private List<String> byServer(Reading.Question question)
      throws IOException, InterruptedException {
    URI rows =
        server.resolve(
            "/views/%s/rows?customer=%s&atLeast=%s&timeout=%ds"
                .formatted(
                    question.view().viewName(),
                    question.customer(),
                    question.token(),
                    TIMEOUT.toSeconds()));
    String answer = http.send(HttpRequest.newBuilder(rows).build(), BodyHandlers.ofString()).body();
    JsonNode page = JSON.readTree(answer);
    if (!page.has("rows")) {
      return List.of(answer);
    }
    List<String> keys = new ArrayList<>();
    page.path("rows").forEach(row -> keys.add(row.path("primaryKey").asText()));
    return keys;
  }

  private List<String> byLibrary(Reading.Question question) {
    return reader
        .read(
            ViewQuery.of(question.view().viewName()).where("customer", question.customer()),
            ReadOptions.DEFAULT.atLeast(question.token(), TIMEOUT))
        .rows()
        .stream()
        .map(RowPage.Row::primaryKey)
        .toList();
  }
}
