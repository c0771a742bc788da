package io.indexview.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Sends what no decent client would. */
final class RawHttp {
  /** Longer than the server waits for a body that does not come. */
  private static final int HANGS_AFTER_MS = 120_000;

  private RawHttp() {}

  /** Sends the lines and an empty one; the whole answer, to the end of the connection. */
  static String send(URI server, String... lines) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket
          .getOutputStream()
          .write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Sends bytes and nothing after them; what is answered until the server ends the connection. */
  static String exchange(URI server, byte[] request) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(HANGS_AFTER_MS);
      try {
        socket.getOutputStream().write(request);
        socket.shutdownOutput();
        socket.getInputStream().transferTo(answer);
      } catch (SocketException e) {
        // It was refused before it was sent: the answer may be lost.
        return answer.toString(StandardCharsets.UTF_8);
      }
    }
    return answer.toString(StandardCharsets.UTF_8);
  }
}
