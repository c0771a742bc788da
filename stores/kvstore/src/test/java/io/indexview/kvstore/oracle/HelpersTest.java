package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HelpersTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private final List<AutoCloseable> open = new ArrayList<>();
  private String answering;

  @BeforeEach
  void listen() throws IOException {
    answering = helper(server(50));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private ServerSocket server(int backlog) throws IOException {
    ServerSocket server = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
    open.add(server);
    return server;
  }

  private static String helper(ServerSocket server) {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Nobody accepts there, and its queue is full: connections get no answer at all. */
  private String hanging() throws IOException {
    ServerSocket full = server(1);
    for (int i = 0; i < 4; i++) {
      SocketChannel waiting = SocketChannel.open();
      open.add(waiting);
      waiting.configureBlocking(false);
      waiting.connect(new InetSocketAddress("127.0.0.1", full.getLocalPort()));
    }
    return helper(full);
  }

  private String closed() throws IOException {
    ServerSocket gone = server(1);
    gone.close();
    return helper(gone);
  }

  @Test
  void leavesOutThoseThatAreGoneSoonAfterTheFirstAnswers() throws IOException {
    String[] helpers = {hanging(), closed(), answering, "no.such.host.invalid:5000"};
    long begun = System.nanoTime();

    assertThat(Helpers.reachable(helpers, TIMEOUT)).containsExactly(answering);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(TIMEOUT.dividedBy(2));
  }

  @Test
  void keepsTheOrderOfThoseThatAnswer() throws IOException {
    String second = helper(server(50));

    assertThat(Helpers.reachable(new String[] {second, closed(), answering}, TIMEOUT))
        .containsExactly(second, answering);
  }

  @Test
  void givesAllIfNoneAnswers() throws IOException {
    String[] helpers = {hanging(), closed()};

    assertThat(Helpers.reachable(helpers, Duration.ofMillis(200))).isEqualTo(helpers);
    assertThat(Helpers.reachable(new String[] {helpers[1]}, TIMEOUT)).containsExactly(helpers[1]);
  }
}
