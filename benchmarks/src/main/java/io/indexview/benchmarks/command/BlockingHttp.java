package io.indexview.benchmarks.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * HTTP/1.1 on the caller's own thread and a connection that is kept: what is measured in the same
 * process shall be the server. Safe for use by many threads.
 */
public final class BlockingHttp {
  private static final int OK = 200;

  /** Connections that are kept although nobody uses them just now. */
  private static final String MAX_KEPT = "256";

  private final URI server;

  public BlockingHttp(URI server) {
    System.setProperty("http.maxConnections", MAX_KEPT);
    this.server = server;
  }

  /**
   * The body of an answer.
   *
   * @throws IOException if it is none of status 200; says what it is
   */
  public byte[] get(String path) throws IOException {
    return answer(connection(path));
  }

  /** Sends a request with a body of JSON. */
  public byte[] post(String path, String json) throws IOException {
    byte[] body = json.getBytes(UTF_8);
    HttpURLConnection connection = connection(path);
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/json");
    // Head and body go out together, as from other clients: a server that got the head alone would
    // have to wait for the body.
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
    return answer(connection);
  }

  private HttpURLConnection connection(String path) throws IOException {
    return (HttpURLConnection) server.resolve(path).toURL().openConnection();
  }

  private static byte[] answer(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    try (InputStream in =
        status < HttpURLConnection.HTTP_BAD_REQUEST
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      byte[] body = in == null ? new byte[0] : in.readAllBytes();
      if (status != OK) {
        throw new IOException(
            "%s: %d %s".formatted(connection.getURL(), status, new String(body, UTF_8)));
      }
      return body;
    }
  }
}
