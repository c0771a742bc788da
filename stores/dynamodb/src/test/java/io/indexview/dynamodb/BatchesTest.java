package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.dynamodb.ItemStore.ItemWrite;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

class BatchesTest {
  private final List<ItemWrite> writes =
      List.of(
          new ItemWrite.Put(
              Map.of("id", "a", "n", 1.50), Map.of("id", "a", "n", 1.50, "text", "x")),
          new ItemWrite.Delete(Map.of("id", "b", "n", 10)),
          new ItemWrite.Put(Map.of("id", "c", "n", 3), Map.of("id", "c", "n", 3)));

  @Test
  void findsReturnedWritesThoughTheStoreRewritesNumbers() {
    WriteRequest put =
        WriteRequest.builder()
            .putRequest(
                p ->
                    p.item(
                        Map.of(
                            "id",
                            AttributeValue.fromS("a"),
                            "n",
                            AttributeValue.fromN("1.5"),
                            "text",
                            AttributeValue.fromS("x"))))
            .build();
    WriteRequest delete =
        WriteRequest.builder()
            .deleteRequest(
                d ->
                    d.key(
                        Map.of("id", AttributeValue.fromS("b"), "n", AttributeValue.fromN("1E+1"))))
            .build();

    assertThat(Batches.unprocessed("t", writes, List.of(delete, put))).containsExactly(1, 0);
    assertThat(Batches.unprocessed("t", writes, List.of())).isEmpty();
  }

  @Test
  void doesNotTakeAnythingForWrittenWhenItDoesNotKnowWhatCameBack() {
    WriteRequest stranger =
        WriteRequest.builder()
            .deleteRequest(
                d -> d.key(Map.of("id", AttributeValue.fromS("z"), "n", AttributeValue.fromN("1"))))
            .build();

    assertThatThrownBy(() -> Batches.unprocessed("t", writes, List.of(stranger)))
        .isInstanceOf(ItemStoreException.Unavailable.class);
  }
}
