package io.indexview.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.server.People;
import io.indexview.server.ServedTest;
import io.indexview.server.problem.ProblemException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextBodyReaderTest extends ServedTest {
  private static final String TEXT = "{\"where\": \"name == 'Ärzte 😀 \uFFFD'\"}";

  private static String read(byte[] body, String charset, boolean announced) throws IOException {
    MultivaluedMap<String, String> headers = new MultivaluedHashMap<>();
    if (announced) {
      headers.putSingle("Content-Length", Integer.toString(body.length));
    }
    MediaType type = MediaType.valueOf("application/json" + charset);
    return new TextBodyReader()
        .readFrom(
            String.class,
            String.class,
            new Annotation[0],
            type,
            headers,
            new ByteArrayInputStream(body));
  }

  @Test
  void readsTextInItsCharset() throws IOException {
    for (boolean announced : new boolean[] {true, false}) {
      assertThat(read(TEXT.getBytes(StandardCharsets.UTF_8), "", announced)).isEqualTo(TEXT);
      assertThat(read(TEXT.getBytes(StandardCharsets.UTF_16), "; charset=utf-16", announced))
          .isEqualTo(TEXT);
      assertThat(read(new byte[0], "", announced)).isEmpty();
      assertThat(read(new byte[] {(byte) 0xC4}, "; charset=iso-8859-1", announced)).isEqualTo("Ä");
    }
  }

  @Test
  void refusesBytesThatAreNoText() {
    byte[] latin = "Ärzte".getBytes(StandardCharsets.ISO_8859_1);

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read(latin, "", true))
        .withMessageContaining("UTF-8");
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read(new byte[] {0}, "; charset=utf-16", true))
        .withMessageContaining("UTF-16");
  }

  /** Else the record had U+FFFD in place of what was meant. */
  @Test
  void answersARequestThatIsNoTextWithAProblem() throws Exception {
    byte[] body = People.definition("by-org", "Ärzte").getBytes(StandardCharsets.ISO_8859_1);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(server.address().resolve("/views/by-org"))
                    .header("Content-Type", "application/json")
                    .PUT(HttpRequest.BodyPublishers.ofByteArray(body))
                    .build(),
                HttpResponse.BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.body()).contains("the body holds bytes that are no UTF-8");
  }
}
