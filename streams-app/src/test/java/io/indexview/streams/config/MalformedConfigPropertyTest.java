package io.indexview.streams.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.config.ConfigFile;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever the configuration file holds: it is a configuration, or says what is wrong. */
class MalformedConfigPropertyTest {
  private static final long MAX_BYTES = 256L << 20;

  private static final String PLAIN =
      """
      bootstrap.servers=127.0.0.1:9092
      schema.registry.url=http://127.0.0.1:8081
      schema.registry.request.timeout.ms=5000
      record.sets=people, files
      record.set.people.topic=changes.people
      record.set.people.format=flat
      record.set.people.complete=topic
      record.set.files.unique.fields=objectKey,bucket
      views.dir=views
      state.dir=state
      state.memory.bytes=67108864
      tombstone.retention.ms=1296000000
      build.chunk.ms=50
      connect.targets=lake
      target.lake.sink.group=connect-lake
      streams.main.consumer.fetch.max.bytes=16777216
      streams.num.stream.threads=2
      """;
  private static final String WITH_PROVIDERS =
      PLAIN
          + """
            config.providers=env, file
            config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider
            config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
            topic.prefix=${env:NO_SUCH_VARIABLE}
            """;

  private static Path file;

  @BeforeContainer
  static void create() throws IOException {
    file = Files.createTempFile("malformed", ".properties");
  }

  @AfterContainer
  static void delete() throws IOException {
    Files.delete(file);
  }

  @Property(tries = 500)
  void isAConfigurationOrSaysWhatIsWrong(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    Files.write(file, new Mutator(new Random(seed)).utf8(PLAIN, PLAIN, WITH_PROVIDERS));

    try {
      assertThat(
              Bounded.read(
                  MAX_BYTES,
                  () -> AppConfig.parse(ConfigFile.read(file, "INDEXVIEW_APP_", Map.of()))))
          .isNotNull();
    } catch (InvalidConfigException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }
}
