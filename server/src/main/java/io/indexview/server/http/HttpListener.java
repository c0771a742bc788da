package io.indexview.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.server.config.HttpSettings;
import io.indexview.server.http.HttpFilters.SafeHeaders;
import io.indexview.server.problem.ProblemDetails;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;

/** The web server: one address, one application. */
public final class HttpListener implements AutoCloseable {
  private static final int MIN_POOL = 4;

  /** Page tokens hold keys, which may be long. */
  private static final int HEADER_BYTES = 64 << 10;

  /**
   * A body that comes in more slowly holds a thread for nothing; bytes per second, on average. Few,
   * since the time until it is read counts, too.
   */
  private static final long SLOWEST_BODY = 5;

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  /**
   * A connection that is silent for so long, and waits for no answer, ends when the server stops.
   */
  private static final Duration IDLE_AT_STOP = Duration.ofMillis(200);

  /** What Jetty needs for itself, beside the threads that answer. */
  private static final int OWN_THREADS = 4;

  private final Server server;
  private final URI address;

  private HttpListener(Server server, URI address) {
    this.server = server;
    this.address = address;
  }

  /**
   * Listens, and answers with the application.
   *
   * @throws IOException if the address cannot be listened on; names it
   */
  public static HttpListener start(HttpSettings settings, ResourceConfig application)
      throws IOException {
    Server server = new Server(threads(settings));
    server.setErrorHandler(new JettyProblems());
    server.setStopTimeout(STOP_TIMEOUT.toMillis());
    ServerConnector connector = connector(server, settings);
    server.addConnector(connector);
    server.setHandler(new UnreadBodies(handler(settings, application)));
    try {
      server.start();
    } catch (IOException e) {
      stop(server);
      throw new IOException(
          "cannot listen on %s:%d (http.host, http.port): %s; choose another port, or 0 for a free one"
              .formatted(settings.address().host(), settings.address().port(), e.getMessage()),
          e);
    } catch (RuntimeException e) {
      stop(server);
      throw e;
    } catch (Exception e) {
      stop(server);
      throw new IllegalStateException("the web server does not start: " + e.getMessage(), e);
    }
    return new HttpListener(server, address(settings, connector.getLocalPort()));
  }

  private static QueuedThreadPool threads(HttpSettings settings) {
    QueuedThreadPool pool = new QueuedThreadPool(settings.threads() + OWN_THREADS, MIN_POOL);
    pool.setName("indexview-http");
    pool.setDaemon(true);
    return pool;
  }

  private static ServerConnector connector(Server server, HttpSettings settings) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setMinRequestDataRate(SLOWEST_BODY);
    ServerConnector connector =
        settings
            .tls()
            .map(tls -> secure(server, http, tls))
            .orElseGet(() -> new ServerConnector(server, 1, 1, new HttpConnectionFactory(http)));
    connector.setHost(settings.address().host());
    connector.setPort(settings.address().port());
    connector.setIdleTimeout(settings.idleTimeout().toMillis());
    connector.setShutdownIdleTimeout(IDLE_AT_STOP.toMillis());
    return connector;
  }

  private static ServerConnector secure(
      Server server, HttpConfiguration http, HttpSettings.Tls tls) {
    SslContextFactory.Server context = new SslContextFactory.Server();
    context.setKeyStorePath(tls.keystore().toUri().toString());
    context.setKeyStorePassword(tls.password().value());
    context.setKeyStoreType(tls.type());
    SecureRequestCustomizer secure = new SecureRequestCustomizer();
    // Which names are served is checked for every request, with or without TLS.
    secure.setSniHostCheck(false);
    http.addCustomizer(secure);
    return new ServerConnector(
        server,
        1,
        1,
        new SslConnectionFactory(context, "http/1.1"),
        new HttpConnectionFactory(http));
  }

  private static SizeLimitHandler handler(HttpSettings settings, ResourceConfig application) {
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(new ServletHolder(new ServletContainer(application)), "/*");
    SizeLimitHandler limit = new SizeLimitHandler(settings.maxRequestBytes(), -1);
    limit.setHandler(context);
    return limit;
  }

  private static URI address(HttpSettings settings, int port) {
    // %d would write digits of the locale.
    return URI.create(
        "%s://%s:%s"
            .formatted(
                settings.tls().isPresent() ? "https" : "http",
                HttpSettings.Address.inUri(settings.address().host()),
                port));
  }

  /** Where it listens, with the port that it has. */
  public URI address() {
    return address;
  }

  /** Waits until the server was stopped. */
  public void join() throws InterruptedException {
    server.join();
  }

  /** Lets requests that are being answered end, for some seconds. */
  @Override
  public void close() {
    stop(server);
  }

  private static void stop(Server server) {
    try {
      server.stop();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the web server does not stop: " + e.getMessage(), e);
    }
  }

  /** The errors that Jetty itself answers, before the application sees a request. */
  private static final class JettyProblems extends ErrorHandler {
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      SafeHeaders.HEADERS.forEach(response.getHeaders()::put);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, ProblemDetails.MEDIA_TYPE);
      response.write(true, ByteBuffer.wrap(body(response.getStatus())), callback);
      return true;
    }

    private static byte[] body(int status) {
      try {
        return JSON.writeValueAsBytes(ProblemDetails.of(status));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("problem details are always JSON", e);
      }
    }
  }
}
