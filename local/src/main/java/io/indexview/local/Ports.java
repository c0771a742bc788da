package io.indexview.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * The ports of one stack. A port that was asked for must be free; one that the data directory
 * remembers is used again when it is free; all others are free ones.
 */
final class Ports {
  /** The broker's second listener; not a part of its own. */
  static final String CONTROLLER = "controller";

  private static final String FILE = "ports.properties";

  private final Map<String, Integer> ports;

  private Ports(Map<String, Integer> ports) {
    this.ports = ports;
  }

  /**
   * Chooses all ports and remembers them in the directory.
   *
   * @param bind the address that the ports are to be free at
   * @throws StackException if a port that was asked for is taken
   */
  static Ports choose(
      Path directory, InetAddress bind, Map<PartName, Integer> wanted, Consumer<String> progress) {
    Path file = directory.resolve(FILE);
    try {
      Map<String, Integer> remembered = read(file);
      Map<String, Integer> chosen = choose(bind, labelled(wanted), remembered, progress);
      write(file, chosen);
      return new Ports(chosen);
    } catch (IOException e) {
      throw new StackException("cannot read or write " + file + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, Integer> labelled(Map<PartName, Integer> wanted) {
    Map<String, Integer> labelled = new HashMap<>();
    wanted.forEach((part, port) -> labelled.put(part.label(), port));
    return labelled;
  }

  private static Map<String, Integer> choose(
      InetAddress bind,
      Map<String, Integer> wanted,
      Map<String, Integer> remembered,
      Consumer<String> progress)
      throws IOException {
    Map<String, Integer> chosen = new LinkedHashMap<>();
    Map<String, ServerSocket> held = new HashMap<>();
    try {
      for (String label : labels()) {
        ServerSocket socket = hold(bind, label, wanted.get(label), remembered.get(label), progress);
        held.put(label, socket);
        chosen.put(label, socket.getLocalPort());
      }
      return chosen;
    } finally {
      for (ServerSocket socket : held.values()) {
        socket.close();
      }
    }
  }

  private static String[] labels() {
    return new String[] {
      PartName.BROKER.label(),
      CONTROLLER,
      PartName.REGISTRY.label(),
      PartName.CONNECT.label(),
      PartName.DYNAMODB.label(),
      PartName.SQS.label(),
      PartName.S3.label(),
      PartName.KV_STORE.label()
    };
  }

  private static ServerSocket hold(
      InetAddress bind, String label, Integer wanted, Integer remembered, Consumer<String> progress)
      throws IOException {
    if (wanted != null) {
      try {
        return FreePorts.bind(bind, wanted);
      } catch (IOException e) {
        throw taken(label, wanted, e);
      }
    }
    if (remembered != null) {
      try {
        return FreePorts.bind(bind, remembered);
      } catch (IOException e) {
        progress.accept(
            "port %d of %s is taken since the last run; choosing another"
                .formatted(remembered, label));
      }
    }
    return FreePorts.hold(bind);
  }

  private static StackException taken(String label, int port, IOException cause) {
    return new StackException(
        "port %d for %s cannot be used (%s): stop what listens there, or choose another port for %s"
            .formatted(port, label, cause.getMessage(), label),
        cause);
  }

  private static Map<String, Integer> read(Path file) throws IOException {
    Map<String, Integer> ports = new HashMap<>();
    if (Files.exists(file)) {
      Properties properties = new Properties();
      try (InputStream in = Files.newInputStream(file)) {
        properties.load(in);
      }
      for (String label : properties.stringPropertyNames()) {
        ports.put(label, parse(file, label, properties.getProperty(label)));
      }
    }
    return ports;
  }

  private static int parse(Path file, String label, String port) {
    try {
      return Integer.parseInt(port.strip());
    } catch (NumberFormatException e) {
      throw new StackException(
          "%s: %s=%s is not a port; correct or delete the line".formatted(file, label, port), e);
    }
  }

  private static void write(Path file, Map<String, Integer> ports) throws IOException {
    Properties properties = new Properties();
    ports.forEach((label, port) -> properties.setProperty(label, port.toString()));
    try (OutputStream out = Files.newOutputStream(file)) {
      properties.store(out, "ports of the local stack, used again when free");
    }
  }

  int of(PartName part) {
    return ports.get(part.label());
  }

  int controller() {
    return ports.get(CONTROLLER);
  }
}
