package io.indexview.client.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.admin.ControlTopicTables.Follower;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ControlTable.Contents;
import io.indexview.schemas.control.InMemoryTopic;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FollowerTest {
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final InMemoryTopic topic = new InMemoryTopic("requests");

  @Test
  void everyThreadSeesWhatWasWrittenBeforeItsCall() {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (Follower<SourceRequest> follower = follower()) {
      List<CompletableFuture<Boolean>> readers =
          IntStream.range(0, 8)
              .mapToObj(
                  reader ->
                      CompletableFuture.supplyAsync(
                          () -> seesItsOwnWrites(follower, "key-" + reader), threads))
              .toList();
      assertThat(readers).allMatch(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A value that becomes readable is in neither of two reads that are made one after the other. */
  @Test
  void saysOfOneMomentWhatIsThereAndWhatCannotBeRead() {
    try (Follower<SourceRequest> follower = follower()) {
      byte[] ofAnotherFormat = {9};
      topic.append("key".getBytes(StandardCharsets.UTF_8), ofAnotherFormat);
      Contents<SourceRequest> before = follower.read();
      topic.append("key", new SourceRequest("key", 1, 1).toAvro(), registry);
      Contents<SourceRequest> after = follower.read();

      assertThat(before.newest()).isEmpty();
      assertThat(before.unreadable()).containsOnlyKeys("key");
      assertThat(after.newest()).containsOnlyKeys("key");
      assertThat(after.unreadable()).isEmpty();
    }
  }

  private boolean seesItsOwnWrites(Follower<SourceRequest> follower, String key) {
    return IntStream.range(0, 300)
        .allMatch(
            number -> {
              topic.append(key, new SourceRequest(key, number, 1).toAvro(), registry);
              return follower.read().newest().get(key).number() == number;
            });
  }

  private Follower<SourceRequest> follower() {
    return new Follower<>(
        new ControlTable<>(
            "requests",
            topic.consumer(),
            new AvroDeserializer(registry, ControlSchemas.SOURCE_REQUEST),
            SourceRequest::of));
  }
}
