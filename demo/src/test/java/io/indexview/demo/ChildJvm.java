package io.indexview.demo;

import io.indexview.local.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes with the class path of the test, so that a test can kill them. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * What starts one.
   *
   * @param heap as the JVM takes it: {@code 256m}
   */
  public static ProcessBuilder of(
      String heap, List<String> options, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** A port that nobody listens on, nor does before a process that is started with it. */
  public static int freePort() throws IOException {
    return FreePorts.next(InetAddress.getLoopbackAddress());
  }
}
