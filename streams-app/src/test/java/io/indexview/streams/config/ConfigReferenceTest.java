package io.indexview.streams.config;

import io.indexview.schemas.docs.ConfigPage;
import java.io.IOException;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
  @Test
  void describesTheApplicationAsItIs() throws IOException {
    ConfigDef definition = AppConfig.definition();
    AppConfigParser.defineRecordSet(definition, "NAME");
    TargetKeys.defineConnect(definition, "NAME");
    new ConfigPage(
            "streams-app.md",
            "Streams app",
            """
            Keys of the application's properties file. NAME stands for each name in `record.sets`, in
            `target.NAME` for each in `connect.targets`. Keys
            of Kafka Streams and its clients are passed on when they carry the prefix `streams.`
            (`streams.producer.linger.ms`), except those that the guarantees rest on; one that neither
            Kafka Streams nor its clients have is warned about in the log. Settings of the topics
            of views carry the prefix `view.topic.` (`view.topic.min.insync.replicas`); they count when
            the application creates a topic. Any other key is refused.""",
            definition)
        .verify();
  }
}
