package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortsTest {
  @TempDir Path directory;

  private final List<String> progress = new ArrayList<>();

  @Test
  void areTheSameWhenChosenAgain() {
    Ports first = choose(Map.of());
    Ports second = choose(Map.of());

    for (PartName part : List.of(PartName.BROKER, PartName.S3, PartName.CONNECT)) {
      assertThat(second.of(part)).isEqualTo(first.of(part));
    }
    assertThat(second.controller()).isEqualTo(first.controller());
    assertThat(progress).isEmpty();
  }

  @Test
  void areOthersAndSaidWhenTakenSinceTheLastRun() throws IOException {
    int remembered = choose(Map.of()).of(PartName.BROKER);
    try (ServerSocket taken = new ServerSocket(remembered, 1, InetAddress.getLoopbackAddress())) {
      assertThat(choose(Map.of()).of(PartName.BROKER)).isNotEqualTo(taken.getLocalPort());
    }
    assertThat(progress)
        .containsExactly(
            "port %d of broker is taken since the last run; choosing another"
                .formatted(remembered));
  }

  @Test
  void areRefusedWithPartAndRemedyWhenAskedForAndTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> choose(Map.of(PartName.REGISTRY, taken.getLocalPort())))
          .isInstanceOf(StackException.class)
          .hasMessageContaining("port " + taken.getLocalPort() + " for registry")
          .hasMessageContaining("choose another port for registry");
    }
  }

  @Test
  void areRefusedWithFileAndLineWhenTheFileIsBroken() throws IOException {
    Files.writeString(directory.resolve("ports.properties"), "broker=many\n");

    assertThatThrownBy(() -> choose(Map.of()))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("ports.properties: broker=many is not a port");
  }

  private Ports choose(Map<PartName, Integer> wanted) {
    return Ports.choose(directory, InetAddress.getLoopbackAddress(), wanted, progress::add);
  }
}
