package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.indexview.client.write.Writer;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.schemas.progress.GroupProgress;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The registry is away when an event of a schema comes that nobody knows yet, for longer than a
 * transaction may last, while other record sets change all the time.
 */
@Timeout(600)
@ExhaustiveTier
class RegistryOutageIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration OUTAGE = Duration.ofSeconds(20);
  private static final String SINK_GROUP = "connect-indexview-kvstore-sink";

  private final SplittableRandom random = new SplittableRandom(1);
  private volatile boolean isAway;
  private volatile String registry;

  @Test
  void costsNoStateAndHoldsUpOneRecordSetAlone(@TempDir Path directory) throws Exception {
    HttpServer gate = gate();
    AppLauncher launcher =
        config -> {
          registry = config.get("schema.registry.url");
          Map<String, String> all = new LinkedHashMap<>(Invoices.in(config, directory));
          all.put("schema.registry.url", "http://127.0.0.1:" + gate.getAddress().getPort());
          return AppLauncher.inProcess().launch(all);
        };
    try (Shop shop =
            Shop.open(
                directory,
                Shop.KV_ONLY_OF_PROCESSES,
                launcher,
                List.of(Orders.spec()),
                definition("orders", "day"));
        Invoices invoices = new Invoices(shop);
        Writer orders = shop.writer();
        Admin admin = Admin.create(shop.kafka())) {
      GroupProgress progress =
          new GroupProgress(admin, shop.keep(ControlTable.consumer(shop.kafka())));
      invoices.publish(0, 20);
      shop.admin().apply("new", definition("invoices", "customer"), OptionalLong.empty());
      shop.awaitReady("invoices-by-customer", TIMEOUT);
      change(orders);
      shop.awaitReady("orders-by-day", TIMEOUT);
      double tasks = tasksCreated();

      isAway = true;
      invoices.evolve();
      invoices.publish(10, 30);
      long until = System.nanoTime() + OUTAGE.toNanos();
      while (System.nanoTime() < until) {
        change(orders);
        await()
            .atMost(TIMEOUT)
            .until(
                () ->
                    progress
                        .behind(Pipeline.APPLICATION_ID, List.of(shop.changes(Orders.NAME)))
                        .isEmpty());
      }
      assertThat(progress.behind(Pipeline.APPLICATION_ID, List.of(Invoices.TOPIC))).isNotEmpty();

      isAway = false;
      for (String topic : List.of(shop.changes(Orders.NAME), Invoices.TOPIC)) {
        await()
            .atMost(TIMEOUT)
            .until(() -> progress.behind(Pipeline.APPLICATION_ID, List.of(topic)).isEmpty());
      }
      assertThat(tasksCreated())
          .as("a task that lost its transaction is made anew")
          .isEqualTo(tasks);
      String view = shop.serving("invoices-by-customer").viewTopic();
      await().atMost(TIMEOUT).until(() -> progress.behind(SINK_GROUP, List.of(view)).isEmpty());
      assertThat(invoices.verify("invoices-by-customer").exact()).isTrue();
    } finally {
      gate.stop(0);
    }
  }

  private static String definition(String recordSet, String field) {
    return """
    {"name": "%s-by-%s", "source": "%s", "key": ["%s"], "target": "kv", "layout": "key-value"}
    """
        .formatted(recordSet, field, recordSet, field);
  }

  private void change(Writer orders) {
    for (int number = 0; number < 20; number++) {
      orders.put(Orders.key(number), Orders.random(random));
    }
    orders.flush();
  }

  /** What the app takes for the registry. */
  private HttpServer gate() throws IOException {
    HttpClient client = HttpClient.newHttpClient();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "registry-gate");
              thread.setDaemon(true);
              return thread;
            }));
    server.createContext("/", exchange -> pass(exchange, client));
    server.start();
    return server;
  }

  private void pass(HttpExchange exchange, HttpClient client) throws IOException {
    try (exchange) {
      if (isAway) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(registry + exchange.getRequestURI()))
              .method(
                  exchange.getRequestMethod(),
                  HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
      String type = exchange.getRequestHeaders().getFirst("Content-Type");
      if (type != null) {
        request.header("Content-Type", type);
      }
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      answer
          .headers()
          .firstValue("Content-Type")
          .ifPresent(found -> exchange.getResponseHeaders().set("Content-Type", found));
      exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
      exchange.getResponseBody().write(answer.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static double tasksCreated() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    double created = 0;
    for (ObjectName thread :
        beans.queryNames(
            new ObjectName("kafka.streams:type=stream-thread-metrics,thread-id=*"), null)) {
      created += ((Number) beans.getAttribute(thread, "task-created-total")).doubleValue();
    }
    assertThat(created).isPositive();
    return created;
  }
}
