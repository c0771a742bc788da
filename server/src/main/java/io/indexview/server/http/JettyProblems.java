package io.indexview.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.server.problem.HttpProblems;
import io.indexview.server.problem.ProblemDetails;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** The errors that Jetty itself answers, before the application sees a request. */
final class JettyProblems extends ErrorHandler {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    SafeHeaders.HEADERS.forEach(response.getHeaders()::put);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, ProblemDetails.MEDIA_TYPE);
    response.write(true, ByteBuffer.wrap(body(response.getStatus())), callback);
    return true;
  }

  private static byte[] body(int status) {
    try {
      return JSON.writeValueAsBytes(HttpProblems.of(status));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("problem details are always JSON", e);
    }
  }
}
