package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.task.TaskStores.ControlRecords;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlTopicTest {
  private final ControlTopic topic = new ControlTopic("view-generations");
  private final List<String> shown = new ArrayList<>();

  private void put(String key, String value) {
    topic.put(key, value == null ? null : value.getBytes(StandardCharsets.UTF_8));
  }

  private long read(long since) {
    shown.clear();
    return topic.since(
        since,
        (key, value) ->
            shown.add(
                key + "=" + (value == null ? "gone" : new String(value, StandardCharsets.UTF_8))));
  }

  @Test
  void showsTheNewestRecordOfEachKeyInTheOrderInWhichTheyCame() {
    put("a", "1");
    put("b", "1");
    put("a", "2");
    put("c", "1");
    put("c", null);

    read(ControlRecords.START);

    assertThat(shown).containsExactly("b=1", "a=2", "c=gone");
  }

  @Test
  void showsWhatCameSinceTheLastReadAlone() {
    put("a", "1");
    put("b", "1");
    long seen = read(ControlRecords.START);
    assertThat(read(seen)).isEqualTo(seen);
    assertThat(shown).isEmpty();

    put("a", "1");
    put("b", null);
    read(seen);

    assertThat(shown).containsExactly("a=1", "b=gone");
  }
}
