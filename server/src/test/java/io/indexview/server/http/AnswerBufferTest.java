package io.indexview.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.io.JsonEOFException;
import io.indexview.client.read.RowPage;
import io.indexview.server.FakeReader;
import io.indexview.server.ServedTest;
import io.indexview.server.api.Api;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AnswerBufferTest extends ServedTest {
  private static final String ROWS = "/views/by-org/rows";

  private void answer(Object last, int rows) {
    List<RowPage.Row> page = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      Object name = i == rows - 1 ? last : "x".repeat(100);
      page.add(
          new RowPage.Row(
              Map.of("org", "Support"),
              "/World/people/" + i,
              Map.of("name", name),
              OptionalLong.of(i),
              Optional.empty()));
    }
    server.reader().answer((query, options) -> FakeReader.page(page, null));
  }

  @Test
  void tellsTheLengthOfAnAnswer() {
    answer("Ann", 100);

    Api.Answer answer = api.get(ROWS);

    assertThat(answer.body().path("rows")).hasSize(100);
    assertThat(answer.text().length()).isBetween(AnswerBuffer.BYTES / 3, AnswerBuffer.BYTES);
    assertThat(answer.header("Content-Length")).isEqualTo(Integer.toString(answer.text().length()));
  }

  @Test
  void sendsInPiecesWhatIsLarger() {
    answer("Ann", 1_000);

    Api.Answer answer = api.get(ROWS);

    assertThat(answer.body().path("rows")).hasSize(1_000);
    assertThat(answer.text().length()).isGreaterThan(3 * AnswerBuffer.BYTES);
    assertThat(answer.header("Transfer-Encoding")).isEqualTo("chunked");
  }

  /** Nobody must take the first rows of a page for all of them. */
  @Test
  void isAFailureIfItCannotBeWritten() {
    answer(new Object(), 100);

    Api.Answer answer = api.get(ROWS);

    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.problem()).isEqualTo("internal");
    answer("Ann", 3);
    assertThat(api.get(ROWS).body().path("rows")).hasSize(3);
  }

  /** Nor these, of which some were sent before. */
  @Test
  void isNoJsonIfItCannotBeWrittenLater() {
    answer(new Object(), 1_000);

    assertThatThrownBy(() -> api.get(ROWS)).hasRootCauseInstanceOf(JsonEOFException.class);
  }

  @Test
  void answersTheHeadOfAPageAsThePage() {
    answer("Ann", 3);

    Api.Answer page = api.get(ROWS);
    Api.Answer head = api.send("HEAD", ROWS, null);

    assertThat(head.status()).isEqualTo(200);
    assertThat(head.text()).isEmpty();
    assertThat(head.header("Content-Length")).isEqualTo(page.header("Content-Length"));
  }
}
