package io.indexview.server.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Lets an answer say {@code Connection: close} where the body of its request is not all there.
 * Jetty looks when an answer ends, and Jersey has sent its answer by then: a client would send the
 * next request on a connection that is read no further. Thread-safe.
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
      if (!isCommitted()) {
        getRequest().consumeAvailable();
      }
      super.write(last, content, callback);
    }
  }
}
