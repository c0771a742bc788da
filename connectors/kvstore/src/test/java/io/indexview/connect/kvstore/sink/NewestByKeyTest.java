package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.kvstore.sink.KvStoreSinkSession.NewestByKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class NewestByKeyTest {
  @Test
  void keepsTheLastOperationOfAKey() {
    NewestByKey<Character, String> newest = new NewestByKey<>(s -> s.charAt(0));
    List.of("a1", "b1", "a2", "c1", "a3").forEach(newest::add);

    assertThat(newest.operations()).containsExactly("a3", "b1", "c1");
    assertThat(newest.overtaken()).isEqualTo(2);
  }
}
