package io.indexview.server.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.admin.SourceStatus;
import io.indexview.server.ServedTest;
import io.indexview.server.api.Api;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SourceResourceTest extends ServedTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  @BeforeEach
  void addSources() {
    server
        .sources()
        .add(
            new SourceStatus(
                "kv",
                "changes",
                1,
                1,
                NOW,
                Optional.empty(),
                Optional.of(NOW),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    server
        .sources()
        .add(
            new SourceStatus(
                "s3 old",
                "changes",
                2,
                1,
                NOW,
                Optional.of(NOW.minusSeconds(3600)),
                Optional.empty(),
                Optional.empty(),
                Optional.of("may not read a.txt"),
                Optional.empty(),
                Optional.of("the store is too old")));
  }

  @Test
  void listsSourcesAndLeavesOutWhatIsNotKnown() {
    JsonNode sources = api.get("/sources").body().path("sources");

    assertThat(sources).hasSize(2);
    assertThat(sources.path(0).path("scannedAt").asText()).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(sources.path(0).has("publishedAgainAt")).isFalse();
    assertThat(sources.path(0).has("publishedUntil")).isFalse();
    assertThat(sources.path(1).path("publishedUntil").asText()).isEqualTo("2026-01-02T02:04:05Z");
    assertThat(sources.path(1).path("scanned").asInt()).isEqualTo(1);
    assertThat(sources.path(1).has("scannedAt")).isFalse();
    assertThat(sources.path(0).has("problem")).isFalse();
    assertThat(sources.path(1).path("problem").asText()).isEqualTo("may not read a.txt");
  }

  @Test
  void retiresASource() {
    assertThat(api.delete("/sources/s3%20old").status()).isEqualTo(204);

    assertThat(api.get("/sources").body().path("sources")).hasSize(1);
    Api.Answer again = api.delete("/sources/s3%20old");
    assertThat(again.status()).isEqualTo(404);
    assertThat(again.problem()).isEqualTo("source-not-found");
    assertThat(again.body().path("detail").asText()).contains("s3 old", "the sources are kv");
  }

  @Test
  void takesThatEverythingWasPublishedAgainWhereNoSourceSpeaks() {
    String path = "/record-sets/people/published-again";
    String since = "{\"since\": \"2026-01-02T03:04:05Z\"}";
    Api.Answer refused = api.post(path, since);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("detail").asText()).contains("source kv answers");

    api.delete("/sources/kv");
    api.delete("/sources/s3%20old");
    assertThat(api.post(path, since).status()).isEqualTo(202);
    assertThat(server.sources().publishedAgain()).hasSize(1);

    assertThat(api.post(path, "{}").status()).isEqualTo(400);
    for (String none : List.of("now", "-1000000000-01-01T00:00:00Z")) {
      assertThat(api.post(path, "{\"since\": \"%s\"}".formatted(none)).status()).isEqualTo(400);
    }
    assertThat(api.post("/record-sets/none/published-again", since).status()).isEqualTo(404);
    assertThat(server.sources().publishedAgain()).hasSize(1);
  }
}
