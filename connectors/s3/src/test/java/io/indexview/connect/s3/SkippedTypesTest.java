package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.indexview.connect.s3.QueueMessageReader.SkippedTypes;
import org.junit.jupiter.api.Test;

class SkippedTypesTest {
  private final SkippedTypes types = new SkippedTypes();

  @Test
  void countsByType() {
    types.count("ObjectAcl:Put");
    types.count("ObjectTagging:Put");
    types.count("ObjectAcl:Put");

    assertThat(types.counts())
        .containsOnly(entry("ObjectAcl:Put", 2L), entry("ObjectTagging:Put", 1L));
  }

  @Test
  void countsAsOneWhatIsBeyondItsBound() {
    for (int i = 0; i < SkippedTypes.MAX_TYPES + 50; i++) {
      types.count("type-" + i);
    }
    types.count("type-0");

    assertThat(types.counts()).hasSize(SkippedTypes.MAX_TYPES + 1);
    assertThat(types.counts().get(SkippedTypes.OTHERS)).isEqualTo(50);
    assertThat(types.counts().get("type-0")).isEqualTo(2);
  }
}
