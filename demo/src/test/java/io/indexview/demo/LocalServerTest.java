package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.local.pipeline.RecordSetSpec;
import io.indexview.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;

class LocalServerTest {
  private static RecordSetSpec spec(String name, Map<String, String> settings) {
    return new RecordSetSpec(
        name,
        List.of("World", "people"),
        SchemaBuilder.record("Person").fields().requiredString("name").endRecord(),
        settings);
  }

  @Test
  void tellsTheServerWhichKeysARecordSetHas() {
    PipelineSpec pipeline =
        new PipelineSpec(
            List.of(
                spec("people", Map.of("minor.keys", "/-")),
                spec("mails", Map.of("minor.keys", "/-/mail,/-/mail/home")),
                spec("notes", Map.of("minor.keys", "/-/note", "value.format", "string"))),
            Pattern.compile(".*"),
            Path.of("views"));
    Map<String, String> config = new HashMap<>(LocalServer.recordSets(pipeline));
    config.put("bootstrap.servers", "localhost:1");
    config.put("schema.registry.url", "http://localhost:1");
    config.put("kvstore.uri", "remote://localhost:1");

    KvKey prefix = KvKey.ofMajor("World", "people");
    assertThat(ServerConfig.parse(config).stores().recordSets())
        .containsOnly(
            Map.entry("people", KvKeySet.of(prefix, List.of("/-"))),
            Map.entry("mails", KvKeySet.of(prefix, List.of("/-/mail", "/-/mail/home"))),
            Map.entry("notes", KvKeySet.of(prefix, List.of("/-/note"))));
  }
}
