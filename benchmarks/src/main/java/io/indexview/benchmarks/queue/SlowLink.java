package io.indexview.benchmarks.queue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A port on which a local server answers later: what goes through it arrives half of the added time
 * later, each way. How much goes through at once is not bounded.
 */
final class SlowLink implements AutoCloseable {
  private static final int CHUNK = 64 * 1024;

  private final int serverPort;
  private final long delayNanos;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService readers =
      Executors.newCachedThreadPool(task -> daemon(task, "slow-link-read"));

  /** One thread: what was read first is written first. */
  private final ScheduledExecutorService writer =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "slow-link-write"));

  private SlowLink(int serverPort, Duration roundTrip) throws IOException {
    this.serverPort = serverPort;
    this.delayNanos = roundTrip.toNanos() / 2;
    this.listener = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
    readers.execute(this::accept);
  }

  static SlowLink to(int serverPort, Duration roundTrip) {
    try {
      return new SlowLink(serverPort, roundTrip);
    } catch (IOException e) {
      throw new UncheckedIOException("no port for the link", e);
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        connect(listener.accept());
      } catch (IOException e) {
        // The listener is closed, or the server is: its users see that.
        continue;
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
    for (Socket socket : new Socket[] {client, server}) {
      socket.setTcpNoDelay(true);
      sockets.add(socket);
    }
    readers.execute(() -> pass(client, server));
    readers.execute(() -> pass(server, client));
  }

  private void pass(Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        byte[] bytes = Arrays.copyOf(chunk, read);
        writer.schedule(() -> write(out, bytes, to), delayNanos, TimeUnit.NANOSECONDS);
      }
      writer.schedule(() -> end(to), delayNanos, TimeUnit.NANOSECONDS);
    } catch (IOException | RejectedExecutionException e) {
      end(to);
    }
  }

  private void write(OutputStream out, byte[] bytes, Socket to) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      end(to);
    }
  }

  private void end(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone either way.
      return;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    writer.shutdownNow();
    sockets.forEach(this::end);
    readers.shutdownNow();
  }
}
