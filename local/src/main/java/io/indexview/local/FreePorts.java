package io.indexview.local;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports for servers that are configured with theirs before they listen, or listen there again
 * later. Nobody takes one meanwhile by chance: by default systems give connections, and servers
 * that ask for any port, higher ones, and each process searches from a place of its own.
 * Thread-safe.
 */
public final class FreePorts {
  static final int FIRST = 10_000;

  /**
   * End of the ports to take. From here on Linux gives ports to whoever asks for any; other systems
   * begin later.
   */
  private static final int END = 32_768;

  /** More than a process takes in a short time. */
  private static final int APART = 131;

  private static final AtomicInteger searched =
      new AtomicInteger((int) (ProcessHandle.current().pid() * APART % (END - FIRST)));

  private FreePorts() {}

  /**
   * A port that nobody listens on now at this address, and that this process was not given before.
   *
   * @throws IOException if there is none, or this machine does not have the address
   */
  public static int next(InetAddress address) throws IOException {
    try (ServerSocket socket = hold(address)) {
      return socket.getLocalPort();
    }
  }

  /** Finds a port like {@link #next}; it is taken until the socket is closed. */
  static ServerSocket hold(InetAddress address) throws IOException {
    return hold(address, searched);
  }

  /**
   * @param from how far behind the first port to begin
   */
  static ServerSocket hold(InetAddress address, AtomicInteger from) throws IOException {
    // An address that is not there would look like one whose ports are all taken.
    bind(address, 0).close();
    for (int tried = 0; tried < END - FIRST; tried++) {
      int port = FIRST + Math.floorMod(from.getAndIncrement(), END - FIRST);
      try {
        return bind(address, port);
      } catch (BindException e) {
        // Somebody listens there.
      }
    }
    throw new IOException("no port from %d to %d is free".formatted(FIRST, END - 1));
  }

  /** Binds a port, even one where connections of a server that has ended are still remembered. */
  static ServerSocket bind(InetAddress address, int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
