package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.config.AppConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateDirectoryTest {
  @TempDir private Path directory;
  private final Map<String, String> settings =
      new HashMap<>(
          Map.of(
              "bootstrap.servers", "127.0.0.1:9092",
              "schema.registry.url", "http://127.0.0.1:8081",
              "record.sets", "people"));

  private String clientIdIn(String state) {
    Path stateDirectory = directory.resolve(state);
    StateDirectory.prepare(stateDirectory);
    settings.put("state.dir", stateDirectory.toString());
    return StateDirectory.clientId(AppConfig.parse(settings));
  }

  @Test
  void isInNoTroubleWhileThereIsSpaceAndADirectory() {
    assertThat(StateDirectory.trouble(directory)).isEmpty();
    assertThat(StateDirectory.trouble(directory.resolve("gone"))).contains("cannot be used");
  }

  @Test
  void tellsInstancesApartAndKnowsThemAgain() {
    String one = clientIdIn("one");

    assertThat(one).matches("indexview-[0-9a-f]{8}");
    assertThat(clientIdIn("two")).matches("indexview-[0-9a-f]{8}").isNotEqualTo(one);
    assertThat(clientIdIn("one")).isEqualTo(one);

    settings.put("application.id", "another");
    assertThat(clientIdIn("one")).startsWith("another-").isNotEqualTo("another" + suffix(one));
  }

  private static String suffix(String clientId) {
    return clientId.substring(clientId.lastIndexOf('-'));
  }

  @Test
  void takesTheIdThatIsConfigured() {
    settings.put("streams.client.id", "indexview-east");

    assertThat(clientIdIn("one")).isEqualTo("indexview-east");
    assertThat(directory.resolve("one")).isEmptyDirectory();
  }

  @Test
  void choosesAnewWhenTheIdWasNotWritten() throws Exception {
    Path state = Files.createDirectory(directory.resolve("one"));
    Files.writeString(state.resolve("instance-indexview"), "");

    assertThat(clientIdIn("one")).matches("indexview-[0-9a-f]{8}").isEqualTo(clientIdIn("one"));
  }
}
