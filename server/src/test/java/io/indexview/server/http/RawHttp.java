package io.indexview.server.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends what no decent client would. */
final class RawHttp {
  /** Longer than the server waits for a body that does not come. */
  private static final int HANGS_AFTER_MS = 120_000;

  private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");

  private RawHttp() {}

  /** Sends the lines and an empty one; the whole answer, to the end of the connection. */
  static String send(URI server, String... lines) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      try {
        socket
            .getOutputStream()
            .write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
      } catch (SocketException e) {
        // It was refused before all of it was sent: the answer is there.
      }
      try {
        socket.getInputStream().transferTo(answer);
      } catch (SocketException e) {
        // The end may be a reset: of what is sent behind a refusal nothing is read.
      }
    }
    return answer.toString(StandardCharsets.UTF_8);
  }

  /** Sends a request and takes its answer; the connection, which the server knows now, stays. */
  static void head(Socket socket, String path) throws IOException {
    write(socket, "HEAD %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path));
    answerHead(socket);
  }

  /** Sends text as it is, and leaves the connection open. */
  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** The next answer on a connection, which has to tell its length. */
  static String answer(Socket socket) throws IOException {
    socket.setSoTimeout(HANGS_AFTER_MS);
    String head = answerHead(socket);
    Matcher length = CONTENT_LENGTH.matcher(head);
    if (!length.find()) {
      throw new IOException("an answer of unknown length: " + head);
    }
    byte[] body = socket.getInputStream().readNBytes(Integer.parseInt(length.group(1)));
    return head + new String(body, StandardCharsets.UTF_8);
  }

  private static String answerHead(Socket socket) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new EOFException(head.toString());
      }
      head.append((char) next);
    }
    return head.toString();
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
