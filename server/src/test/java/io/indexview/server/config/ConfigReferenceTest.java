package io.indexview.server.config;

import io.indexview.schemas.docs.ConfigPage;
import java.io.IOException;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
  @Test
  void describesTheServerAsItIs() throws IOException {
    ConfigDef definition = ServerConfig.definition();
    StoreKeys.defineRecordSet(definition, "NAME");
    TargetKeys.defineTarget(definition, "TARGET");
    new ConfigPage(
            "server.md",
            "Server",
            """
            Keys of the server's properties file. NAME stands for each name in `record.sets`, TARGET for each in
            `connect.targets`. Keys of Kafka's clients are passed on when they carry the prefix `kafka.`
            (`kafka.security.protocol`); any other key is refused. Values may refer to config providers
            (`config.providers=file`, `${file:/run/secrets/indexview:token}`).""",
            definition)
        .verify();
  }
}
