package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @Test
  void areGivenOnceAndNeverByTheSystemItself() throws IOException {
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      given.add(FreePorts.next(LOOPBACK));
    }
    assertThat(given).hasSize(200).allMatch(port -> port >= 10_000 && port < 32_768);
  }

  @Test
  void areNoneOfAnAddressThatTheMachineDoesNotHave() throws IOException {
    // Reserved for documentation.
    InetAddress nowhere = InetAddress.getByName("192.0.2.1");
    AtomicInteger from = new AtomicInteger();
    assertThatThrownBy(() -> FreePorts.hold(nowhere, from)).isInstanceOf(BindException.class);
    assertThat(from).hasValue(0);
  }

  @Test
  void areNoneThatSomebodyListensOn() throws IOException {
    try (ServerSocket taken = FreePorts.hold(LOOPBACK)) {
      AtomicInteger there = new AtomicInteger(taken.getLocalPort() - FreePorts.FIRST);
      try (ServerSocket other = FreePorts.hold(LOOPBACK, there)) {
        assertThat(other.getLocalPort()).isNotEqualTo(taken.getLocalPort());
      }
    }
  }
}
