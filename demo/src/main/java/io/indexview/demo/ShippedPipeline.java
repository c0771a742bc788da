package io.indexview.demo;

import io.indexview.local.pipeline.PipelineSpec;
import java.io.IOException;
import java.nio.file.Path;

/** The pipeline of a stack that is started without records of its own. */
final class ShippedPipeline {
  private ShippedPipeline() {}

  /** What the data directory's stack carried last, else the demo's record sets and views. */
  static PipelineSpec of(Path dataDirectory) throws IOException {
    var saved = PipelineSpec.saved(dataDirectory);
    if (saved.isPresent()) {
      return saved.get();
    }
    DemoPlan plan = DemoPlan.shipped(Path.of(""));
    return plan.pipeline(plan.writeViews(dataDirectory))
        .withFileAttributes(PipelineSpec.FILE_ATTRIBUTES);
  }
}
