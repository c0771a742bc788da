package io.indexview.local;

import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

/**
 * What others reach in place of the queue's server, which binds its own routes and has no place for
 * a {@link RequestCheck}.
 */
final class QueueGate implements AutoCloseable {
  /** Headers of one connection, not of the request. */
  private static final Set<String> NOT_PASSED_ON =
      Set.of("host", "connection", "content-length", "transfer-encoding", "expect", "upgrade");

  private final Server server = new Server();

  /**
   * Listens at once.
   *
   * @param name that requests may be addressed to, beside those of loopback
   * @param behind address of the queue's server
   */
  QueueGate(InetAddress bind, int port, String name, URI behind) throws Exception {
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(bind.getHostAddress());
    connector.setPort(port);
    server.addConnector(connector);
    server.setHandler(new RequestCheck(name, new PassOn(behind)));
    server.start();
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }

  /** Holds no thread while the queue's server waits for messages. */
  private static final class PassOn extends Handler.Abstract.NonBlocking {
    private final HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI behind;

    PassOn(URI behind) {
      this.behind = behind;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      Promise.Completable<ByteBuffer> read = new Promise.Completable<>();
      Content.Source.asByteBuffer(request, read);
      read.thenCompose(
              body ->
                  http.sendAsync(
                      passedOn(request, BufferUtil.toArray(body)),
                      HttpResponse.BodyHandlers.ofByteArray()))
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  passBack(answer, response, callback);
                } else {
                  Response.writeError(
                      request, response, callback, HttpStatus.BAD_GATEWAY_502, null, failure);
                }
              });
      return true;
    }

    private HttpRequest passedOn(Request request, byte[] body) {
      HttpRequest.Builder copy =
          HttpRequest.newBuilder(behind.resolve(request.getHttpURI().getPathQuery()))
              .method(request.getMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
      for (HttpField header : request.getHeaders()) {
        if (isPassedOn(header.getName())) {
          copy.header(header.getName(), header.getValue());
        }
      }
      return copy.build();
    }

    private static void passBack(
        HttpResponse<byte[]> answer, Response response, Callback callback) {
      response.setStatus(answer.statusCode());
      answer
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (isPassedOn(name)) {
                  response.getHeaders().put(name, values);
                }
              });
      response.write(true, ByteBuffer.wrap(answer.body()), callback);
    }

    private static boolean isPassedOn(String header) {
      return !NOT_PASSED_ON.contains(header.toLowerCase(Locale.ROOT));
    }
  }
}
