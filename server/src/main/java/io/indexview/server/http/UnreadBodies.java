package io.indexview.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;

/**
 * Lets an answer say {@code Connection: close} where the body of its request is not all there, and
 * takes the rest of it for a while. Jetty looks when an answer ends, and Jersey has sent its answer
 * by then: a client would send the next request on a connection that is read no further.
 * Thread-safe.
 */
final class UnreadBodies extends Handler.Wrapper {
  UnreadBodies(Handler handler) {
    super(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    return super.handle(request, new Answer(request, response), callback);
  }

  private static final class Answer extends Response.Wrapper {
    Answer(Request request, Response response) {
      super(request, response);
    }

    @Override
    public void write(boolean last, ByteBuffer content, Callback callback) {
      if (!isCommitted() && !getRequest().consumeAvailable()) {
        getRequest()
            .setAttribute(
                HttpStream.UPGRADE_CONNECTION_ATTRIBUTE,
                new LingeringClose(
                    getRequest().getConnectionMetaData().getConnection().getEndPoint(),
                    getRequest().getComponents().getExecutor()));
      }
      super.write(last, content, callback);
    }
  }

  /**
   * What becomes of a connection after its last answer. To close it while the client sends would
   * reset it, and the client might never see the answer.
   */
  private static final class LingeringClose extends AbstractConnection
      implements Connection.UpgradeTo {
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int BUFFER_BYTES = 16 << 10;

    private final long since = NanoTime.now();
    private final ByteBuffer buffer = BufferUtil.allocate(BUFFER_BYTES);

    LingeringClose(EndPoint endPoint, Executor executor) {
      super(endPoint, executor);
    }

    /** Jetty hands over what it has of the body, which is of use to nobody. */
    @Override
    public void onUpgradeTo(ByteBuffer read) {}

    @Override
    public void onOpen() {
      super.onOpen();
      getEndPoint().setIdleTimeout(LONGEST.toMillis());
      getEndPoint().shutdownOutput();
      fillInterested();
    }

    @Override
    public void onFillable() {
      BufferUtil.clear(buffer);
      try {
        int filled = getEndPoint().fill(buffer);
        if (filled >= 0 && NanoTime.since(since) < LONGEST.toNanos()) {
          fillInterested();
          return;
        }
      } catch (IOException e) {
        // The client is gone.
      }
      close();
    }
  }
}
