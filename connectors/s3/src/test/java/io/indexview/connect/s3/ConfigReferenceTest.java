package io.indexview.connect.s3;

import io.indexview.schemas.docs.ConfigPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
  @Test
  void describesTheSourceAsItIs() throws IOException {
    new ConfigPage(
            "s3-source.md",
            "S3 source",
            """
            `io.indexview.connect.s3.S3SourceConnector` turns bucket notifications into change events of
            file records. Connect's own keys (`tasks.max`, converters, `errors.*`) come on top, and
            `errors.tolerance` must be `none`, which is its default; see
            [settings of every connector](../connectors.md#settings-of-every-connector).""",
            S3SourceConfig.definition())
        .verify();
  }
}
