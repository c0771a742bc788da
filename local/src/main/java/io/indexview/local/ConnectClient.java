package io.indexview.local;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * Client of a Connect worker's REST API. Every method throws {@link StackException} with the
 * worker's own words if the worker refuses, and safe for use by several threads.
 */
public final class ConnectClient {
  private final URI base;

  ConnectClient(URI base) {
    this.base = base;
  }

  public URI url() {
    return base;
  }

  /** Creates a connector, or replaces its configuration. */
  public void put(String connector, Map<String, String> config) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Stops and forgets a connector; nothing happens when there is none. */
  public void delete(String connector) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Restarts a connector and all its tasks. */
  public void restart(String connector) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Waits until the connector and all its tasks run, at least one.
   *
   * @throws StackException with the trace, as soon as one has failed, or after the timeout
   */
  public void awaitRunning(String connector, Duration timeout) {
    throw new UnsupportedOperationException("not built yet");
  }
}
