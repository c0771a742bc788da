package io.indexview.kvstore.remote;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of what is no {@link KvStoreServer}, or one that hangs. */
@Timeout(120)
class OtherServersTest {
  private static final KvKey KEY = KvKey.ofMajor("a");

  private static final Duration SOON = Duration.ofSeconds(30);

  /** An answer begins within it, also on a busy machine. */
  private static final Duration SHORT = Duration.ofSeconds(3);

  /** Begins a frame that does not come. */
  private static final String ENDLESS =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\0\r\n";

  @Test
  void givesUpAServerThatIsSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      KvStoreConfig config =
          KvStoreConfig.of("remote://127.0.0.1:" + silent.getLocalPort())
              .withRequestTimeout(Duration.ofMillis(200));

      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> KvStores.open(config));
    }
  }

  @Test
  void takesNoOtherServerForAStore() throws IOException {
    try (OtherServer other = new OtherServer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")) {
      assertThatExceptionOfType(KvStoreException.Misconfigured.class)
          .isThrownBy(() -> other.get(SOON))
          .withMessageContaining("no store of this release");
    }
    try (OtherServer other =
        new OtherServer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n\0\0\0")) {
      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> other.get(SOON))
          .withMessageContaining("broke off");
    }
    try (OtherServer other = new OtherServer(ENDLESS)) {
      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> other.get(SHORT))
          .withMessageContaining("has said nothing");
    }
  }

  @Test
  void endsTheWaitOfAReaderWhoseStoreIsClosed() throws Exception {
    try (OtherServer other = new OtherServer(ENDLESS);
        KvStore slow = other.open(Duration.ofMinutes(10))) {
      KvIterator<KvRecord> scan = slow.storeIterator(KvScan.all());
      FutureTask<Boolean> wait = new FutureTask<>(scan::hasNext);
      Thread reader = new Thread(wait);
      reader.start();
      await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);

      slow.close();

      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(wait::get)
          .withCauseInstanceOf(KvStoreException.Unavailable.class);
    }
  }

  /** A server that is well, and answers any other request with the same. */
  private static final class OtherServer implements Closeable {
    private static final String WELL =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    OtherServer(String answer) throws IOException {
      Callable<Void> requests =
          () -> {
            try (Socket first = answerOne(WELL);
                Socket second = answerOne(answer)) {
              if (!answer.equals(ENDLESS)) {
                second.shutdownOutput();
              }
              // Until the client is done with it.
              second.getInputStream().readAllBytes();
            }
            return null;
          };
      new Thread(new FutureTask<>(requests)).start();
    }

    private Socket answerOne(String answer) throws IOException {
      Socket client = listener.accept();
      client.getInputStream().read();
      client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
      return client;
    }

    KvStore open(Duration timeout) {
      return KvStores.open(
          KvStoreConfig.of("remote://127.0.0.1:" + listener.getLocalPort())
              .withRequestTimeout(timeout));
    }

    void get(Duration timeout) {
      try (KvStore store = open(timeout)) {
        store.get(KEY);
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
