package io.indexview.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.server.People;
import io.indexview.server.ServedTest;
import io.indexview.server.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is answered before the body is there: clients may send more on a connection that stays. */
class UnreadBodyTest extends ServedTest {
  private static final String CLOSE = "Connection: close";

  /** More than the buffers of two sockets hold. */
  private static final int LARGE = 32 << 20;

  private static Socket connected(URI address) throws IOException {
    return new Socket(address.getHost(), address.getPort());
  }

  /** Of a request whose body was announced. */
  private static String head(String request, String header, long length) {
    return "%s HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: %d\r\n\r\n"
        .formatted(request, header, length);
  }

  /** Takes an answer after which there is no other. */
  private static void assertClosed(Socket socket, int status) throws IOException {
    assertThat(RawHttp.answer(socket)).startsWith("HTTP/1.1 " + status).containsIgnoringCase(CLOSE);
    assertThat(socket.getInputStream().read()).isEqualTo(-1);
  }

  private static void assertStays(Socket socket, int status) throws IOException {
    assertThat(RawHttp.answer(socket))
        .startsWith("HTTP/1.1 " + status)
        .doesNotContainIgnoringCase(CLOSE);
    RawHttp.write(socket, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assertThat(RawHttp.answer(socket)).startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @CsvSource({
    "415, PUT /views/by-org, Content-Type: text/plain",
    "403, PUT /views/by-org, Origin: https://attacker.example",
    "400, PUT /views/by-org?dryrun, Content-Type: application/json",
    "404, POST /views/by-org/rollback, Content-Type: application/json",
    "404, PUT /nothing, Content-Type: application/json",
    "405, PATCH /views/by-org, Content-Type: application/json",
    "200, GET /views, Content-Type: application/json"
  })
  void saysThatTheConnectionEnds(int status, String request, String header) throws IOException {
    try (Socket socket = connected(server.address())) {
      RawHttp.write(socket, head(request, header, 10) + "{");

      assertClosed(socket, status);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "415, PUT /views/by-org, Content-Type: text/plain",
    "403, PUT /views/by-org, Origin: https://attacker.example",
    "404, PUT /nothing, Content-Type: application/json",
    "200, GET /views, Content-Type: application/json"
  })
  void keepsTheConnectionWhereTheBodyIsThere(int status, String request, String header)
      throws IOException {
    try (Socket socket = connected(server.address())) {
      RawHttp.write(socket, head(request, header, 2) + "{}");

      assertStays(socket, status);
    }
  }

  @Test
  void keepsTheConnectionOfABodyThatItReads() throws IOException {
    String body = People.definition("by-org", "org");
    try (Socket socket = connected(server.address())) {
      RawHttp.write(
          socket, head("PUT /views/by-org", "Content-Type: application/json", body.length()));
      RawHttp.write(socket, body);

      assertStays(socket, 201);
    }
  }

  @Test
  void saysThatTheConnectionOfALargeBodyEnds() throws IOException {
    try (Socket socket = connected(server.address())) {
      RawHttp.write(
          socket,
          head("PUT /views/by-org", "Content-Type: application/json", TestServer.MAX_BYTES + 1));

      assertClosed(socket, 413);
    }
  }

  /** The length of a body that comes in chunks is not known beforehand. */
  @Test
  void saysThatTheConnectionOfALargeBodyOfUnknownLengthEnds() throws IOException {
    int chunk = (int) TestServer.MAX_BYTES + 1;
    try (Socket socket = connected(server.address())) {
      RawHttp.write(
          socket,
          """
          PUT /views/by-org HTTP/1.1\r
          Host: localhost\r
          Content-Type: application/json\r
          Transfer-Encoding: chunked\r
          \r
          %x\r
          %s\r
          """
              .formatted(chunk, " ".repeat(chunk)));

      assertClosed(socket, 413);
    }
  }

  @Test
  void saysThatTheConnectionEndsToThoseWithoutAToken() throws IOException {
    try (TestServer secured = TestServer.startWithToken("0123456789abcdef");
        Socket socket = connected(secured.address())) {
      RawHttp.write(socket, head("PUT /views/by-org", "Content-Type: application/json", 10) + "{");

      assertClosed(socket, 401);
    }
  }

  /** Many clients send a whole body before they look for an answer, or lose it to a reset. */
  @ParameterizedTest
  @CsvSource({
    "413, PUT /views/by-org, Content-Type: application/json, 2048",
    "415, PUT /views/by-org, Content-Type: text/plain, 1073741824"
  })
  void takesTheRestOfALargeBody(int status, String request, String header, long maxBytes)
      throws IOException {
    try (TestServer large = TestServer.startWithRoom(null, maxBytes);
        Socket socket = connected(large.address())) {
      RawHttp.write(socket, head(request, header, LARGE));
      socket.getOutputStream().write(new byte[LARGE]);

      assertClosed(socket, status);
    }
  }

  @Test
  @Timeout(120)
  void endsTheConnectionOfABodyThatDoesNotEnd() throws IOException {
    try (Socket socket = connected(server.address())) {
      RawHttp.write(socket, head("PUT /views/by-org", "Content-Type: application/json", LARGE));
      assertClosed(socket, 413);

      assertThatThrownBy(
              () -> {
                while (true) {
                  RawHttp.write(socket, " ");
                  TimeUnit.MILLISECONDS.sleep(100);
                }
              })
          .isInstanceOf(SocketException.class);
    }
  }
}
