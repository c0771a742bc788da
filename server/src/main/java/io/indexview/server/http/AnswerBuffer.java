package io.indexview.server.http;

import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.ext.WriterInterceptor;
import jakarta.ws.rs.ext.WriterInterceptorContext;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Collects each answer before it begins: its length is known then, and one that cannot be written
 * is answered as a failure. What is larger than the buffer goes on in pieces. Each thread has one
 * buffer for all its answers, where Jersey would make one for each. Thread-safe.
 */
final class AnswerBuffer implements WriterInterceptor {
  static final int BYTES = 32 << 10;

  private final ThreadLocal<byte[]> buffers = ThreadLocal.withInitial(() -> new byte[BYTES]);

  @Override
  public void aroundWriteTo(WriterInterceptorContext context) throws IOException {
    Collected answer = new Collected(buffers.get(), context.getOutputStream());
    context.setOutputStream(answer);
    context.proceed();
    if (!answer.goesOn) {
      context.getHeaders().putSingle(HttpHeaders.CONTENT_LENGTH, answer.count);
      answer.goOn();
    }
  }

  private static final class Collected extends OutputStream {
    private final byte[] buffer;
    private final OutputStream out;
    private int count;

    /** Whether what is collected went on; everything else follows at once. */
    private boolean goesOn;

    Collected(byte[] buffer, OutputStream out) {
      this.buffer = buffer;
      this.out = out;
    }

    private void goOn() throws IOException {
      goesOn = true;
      out.write(buffer, 0, count);
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      if (!goesOn && length > buffer.length - count) {
        goOn();
      }
      if (goesOn) {
        out.write(bytes, from, length);
      } else {
        System.arraycopy(bytes, from, buffer, count, length);
        count += length;
      }
    }

    @Override
    public void flush() throws IOException {
      if (goesOn) {
        out.flush();
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
