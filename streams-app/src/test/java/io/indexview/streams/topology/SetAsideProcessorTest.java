package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.junit.jupiter.api.Test;

class SetAsideProcessorTest {
  /** Kafka Streams keeps what it scheduled, and initializes it once more. */
  @Test
  void pollsOnceAtATimeAfterItsTaskIsRevived() {
    MockProcessorContext<Object, byte[]> context = new MockProcessorContext<>();
    IndexViewTopology.SetAsideProcessor processor =
        new IndexViewTopology.SetAsideProcessor(
            given -> {
              throw new AssertionError("it is not polled");
            });

    processor.init(context);
    processor.close();
    processor.init(context);

    assertThat(context.scheduledPunctuators())
        .extracting(CapturedPunctuator::cancelled)
        .containsExactly(true, false);
  }
}
