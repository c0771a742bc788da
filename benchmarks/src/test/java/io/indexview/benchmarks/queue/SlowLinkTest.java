package io.indexview.benchmarks.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlowLinkTest {
  private static final Duration ROUND_TRIP = Duration.ofMillis(60);

  @Test
  void passesOnWhatIsSaidInOrderAndLater() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SlowLink link = SlowLink.to(server.getLocalPort(), ROUND_TRIP);
        Socket client = new Socket(InetAddress.getLoopbackAddress(), link.port());
        Socket accepted = server.accept()) {
      long begun = System.nanoTime();
      for (String part : new String[] {"a", "b", "c"}) {
        client.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(accepted.getInputStream().readNBytes(3)).asString().isEqualTo("abc");
      accepted.getOutputStream().write('d');
      assertThat(client.getInputStream().read()).isEqualTo('d');

      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(ROUND_TRIP);
    }
  }

  @Test
  void endsWhenTheServerEnds() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SlowLink link = SlowLink.to(server.getLocalPort(), Duration.ZERO);
        Socket client = new Socket(InetAddress.getLoopbackAddress(), link.port())) {
      server.accept().close();

      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }
}
