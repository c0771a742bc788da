package io.indexview.streams.app;

import io.indexview.streams.config.AppConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The streams application in this process. Safe for use by several threads.
 *
 * <p>{@link #start} returns at once; the app then checks the view files, waits for what it needs
 * (record schemas, source topics), freezes the generations and begins to derive.
 */
public final class IndexViewApp implements AutoCloseable {

  private IndexViewApp() {}

  /** Starts the app; the health endpoints answer when this returns. */
  public static IndexViewApp start(AppConfig config) {
    throw new IllegalStateException("not built yet");
  }

  public AppState state() {
    throw new IllegalStateException("not built yet");
  }

  /** Why the state is {@link AppState#FAILED}; empty otherwise. */
  public Optional<Throwable> failure() {
    throw new IllegalStateException("not built yet");
  }

  /** Where {@code /health/live}, {@code /health/ready} and {@code /metrics} are served. */
  public InetSocketAddress httpAddress() {
    throw new IllegalStateException("not built yet");
  }

  /**
   * Waits until the app runs.
   *
   * @throws IllegalStateException if it failed or was closed (cause kept), or the time is over
   */
  public void awaitRunning(Duration timeout) throws InterruptedException {
    throw new IllegalStateException("not built yet");
  }

  /** Waits until the app failed or was closed; returns which. */
  public AppState awaitEnd() throws InterruptedException {
    throw new IllegalStateException("not built yet");
  }

  /** Stops within {@code shutdown.timeout.ms}; safe to call again. */
  @Override
  public void close() {
    throw new IllegalStateException("not built yet");
  }
}
