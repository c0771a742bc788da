package io.indexview.streams.health;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /health/live}, {@code /health/ready} and {@code /metrics}. */
public final class HealthServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(HealthServer.class);
  private static final String PLAIN = "text/plain; charset=utf-8";

  /** A connection more is closed at once: nobody is to fill the memory of the application. */
  private static final int MAX_THREADS = 64;

  private static final long IDLE_S = 10;

  static {
    // What a whole request may take, s; the JDK reads it when the first server of the process
    // comes.
    System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", "10");
  }

  private final HttpServer server;
  private final ExecutorService executor;

  private HealthServer(HttpServer server, ExecutorService executor) {
    this.server = server;
    this.executor = executor;
  }

  /**
   * @param port 0: a free one
   * @throws UncheckedIOException if the address cannot be listened on; names it
   */
  public static HealthServer start(
      String host, int port, Supplier<HealthReport> health, MetricsPage metrics) {
    HttpServer server = bind(host, port);
    ExecutorService executor =
        // A request is read by the thread that answers it: one that never ends must hold up no
        // other.
        new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            IDLE_S,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "indexview-health");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(executor);
    server.createContext("/health/live", page(exchange -> answer(exchange, health.get(), true)));
    server.createContext("/health/ready", page(exchange -> answer(exchange, health.get(), false)));
    server.createContext(
        "/metrics", page(exchange -> send(exchange, 200, metrics.contentType(), metrics.render())));
    server.start();
    LOGGER.info("Health and metrics on http://{}:{}", host, server.getAddress().getPort());
    return new HealthServer(server, executor);
  }

  private static HttpServer bind(String host, int port) {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), port), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen on %s:%d (http.host, http.port): %s; choose another port, or 0 for a free one"
              .formatted(host, port, e.getMessage()),
          e);
    }
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  private static HttpHandler page(HttpHandler handler) {
    return exchange -> {
      try (exchange) {
        if (exchange.getRequestMethod().equals("GET")
            || exchange.getRequestMethod().equals("HEAD")) {
          handler.handle(exchange);
        } else {
          exchange.getResponseHeaders().set("Allow", "GET, HEAD");
          exchange.sendResponseHeaders(405, -1);
        }
      }
    };
  }

  private static void answer(HttpExchange exchange, HealthReport report, boolean liveness)
      throws IOException {
    boolean good = liveness ? report.live() : report.ready();
    String body =
        report.detail().isEmpty()
            ? report.state() + "\n"
            : report.state() + ": " + report.detail() + "\n";
    send(exchange, good ? 200 : 503, PLAIN, body.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }

  /**
   * What the health endpoints say.
   *
   * @param live false: only a restart helps
   * @param ready it derives rows, or will as soon as a rebalance is over
   * @param state for people
   * @param detail what it waits for or why it failed; empty if there is nothing to say
   */
  public record HealthReport(boolean live, boolean ready, String state, String detail) {}
}
