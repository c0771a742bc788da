package io.indexview.schemas.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
  private static final String FILE_PROVIDER =
      "config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider";

  @TempDir private Path directory;

  private Map<String, String> read(Map<String, String> environment, String... lines)
      throws IOException {
    Path file = Files.write(directory.resolve("app.properties"), List.of(lines));
    return ConfigFile.read(file, "INDEXVIEW_APP_", environment);
  }

  private Path secrets(String line) throws IOException {
    return Files.writeString(directory.resolve("secrets"), line);
  }

  @Test
  void readsWhatTheFileSays() throws IOException {
    assertThat(read(Map.of(), "state.dir=/var/lib", "record.sets = people"))
        .isEqualTo(Map.of("state.dir", "/var/lib", "record.sets", "people"));
  }

  @Test
  void letsTheEnvironmentOverrideTheFile() throws IOException {
    Map<String, String> environment =
        Map.of(
            "INDEXVIEW_APP_STATE_DIR", "/data",
            "INDEXVIEW_APP_RECORD_SET_OLD__PEOPLE_TOPIC", "old_people",
            "INDEXVIEW_APP_TARGET_A___B_REMOVAL", "native",
            "INDEXVIEW_SERVER_HTTP_PORT", "8080",
            "INDEXVIEW_LOG_FORMAT", "json");
    assertThat(read(environment, "state.dir=/var/lib", "record.sets=people"))
        .isEqualTo(
            Map.of(
                "state.dir", "/data",
                "record.sets", "people",
                "record.set.old-people.topic", "old_people",
                "target.a_b.removal", "native"));
  }

  /** Of Services that are called indexview-app and indexview-app-http. */
  @Test
  void passesOverWhatKubernetesTellsOfServices() throws IOException {
    Map<String, String> services =
        Map.of(
            "INDEXVIEW_APP_SERVICE_HOST", "10.0.0.1",
            "INDEXVIEW_APP_SERVICE_PORT", "8085",
            "INDEXVIEW_APP_SERVICE_PORT_HTTP_METRICS", "8085",
            "INDEXVIEW_APP_PORT", "tcp://10.0.0.1:8085",
            "INDEXVIEW_APP_PORT_8085_TCP", "tcp://10.0.0.1:8085",
            "INDEXVIEW_APP_PORT_8085_TCP_PROTO", "tcp",
            "INDEXVIEW_APP_PORT_8085_TCP_PORT", "8085",
            "INDEXVIEW_APP_PORT_8085_TCP_ADDR", "10.0.0.1",
            "INDEXVIEW_APP_HTTP_SERVICE_HOST", "fd00::1",
            "INDEXVIEW_APP_HTTP_PORT", "udp://[fd00::1]:8085");
    assertThat(read(services, "http.port=8085")).isEqualTo(Map.of("http.port", "8085"));
  }

  @Test
  void takesWhatOnlyLooksLikeAService() throws IOException {
    assertThat(
            read(
                Map.of("INDEXVIEW_APP_HTTP_PORT", "8086", "INDEXVIEW_APP_SERVICE_HOST", "a host"),
                "http.port=8085"))
        .isEqualTo(Map.of("http.port", "8086", "service.host", "a host"));
  }

  @Test
  void asksConfigProviders() throws IOException {
    Path secrets = secrets("password=se:cret\n");
    assertThat(
            read(
                Map.of("INDEXVIEW_APP_USER", "${file:" + secrets + ":password}-2"),
                "config.providers=file",
                FILE_PROVIDER,
                "password=${file:" + secrets + ":password}",
                "price=${not:a provider}"))
        .isEqualTo(
            Map.of("password", "se:cret", "user", "se:cret-2", "price", "${not:a provider}"));
  }

  @Test
  void findsTheKeyOfAVariableWhateverItsCapitals() throws IOException {
    assertThat(
            read(Map.of("INDEXVIEW_APP_RECORD_SET_PEOPLE_TOPIC", "b"), "record.set.People.topic=a"))
        .isEqualTo(Map.of("record.set.People.topic", "b"));
    assertThat(read(Map.of("INDEXVIEW_APP_A_B", "2"), "a.b=1", "A.b=1"))
        .isEqualTo(Map.of("a.b", "2", "A.b", "1"));
  }

  /** As Kubernetes mounts them, and as {@code echo} writes them. */
  @Test
  void takesAFileThatIsASecretWithoutItsLastLineBreak() throws IOException {
    Files.writeString(directory.resolve("token"), "s3cret\n");
    Files.writeString(directory.resolve("pem"), "line 1\nline 2\n\n");

    assertThat(
            read(
                Map.of("INDEXVIEW_APP_TOKEN", "${directory:" + directory + ":token}"),
                "config.providers=directory",
                "config.providers.directory.class=org.apache.kafka.common.config.provider.DirectoryConfigProvider",
                "user=ann:${directory:" + directory + ":token}",
                "pem=${directory:" + directory + ":pem}",
                "own=as it is\\n"))
        .isEqualTo(
            Map.of(
                "token", "s3cret",
                "user", "ann:s3cret",
                "pem", "line 1\nline 2\n",
                "own", "as it is\n"));
  }

  @Test
  void namesEveryKeyWhoseReferenceStandsForNothing() throws IOException {
    Path secrets = secrets("password=hidden\n");
    assertThatThrownBy(
            () ->
                read(
                    Map.of(),
                    "config.providers=file , env",
                    FILE_PROVIDER,
                    "config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider",
                    "a=${file:" + secrets + ":password}/${file:" + secrets + ":pasword}",
                    "b=${env:NOBODY_SETS_THIS}"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContainingAll("a: ${file:", ":pasword}", "b: ${env:NOBODY_SETS_THIS}")
        .hasMessageNotContaining("hidden");
  }

  @Test
  void saysWhichProviderFails() {
    assertThatThrownBy(
            () ->
                read(
                    Map.of(),
                    "config.providers=file",
                    FILE_PROVIDER,
                    "a=${file:" + directory.resolve("none") + ":a}"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("config.providers");
    assertThatThrownBy(
            () ->
                read(
                    Map.of(),
                    "config.providers=x",
                    "config.providers.x.class=no.such.Class",
                    "a=${x:y}"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("config.providers");
  }

  @Test
  @Timeout(60)
  void refusesALongReferenceThatIsNotClosed() {
    assertThatThrownBy(
            () ->
                read(
                    Map.of(),
                    "config.providers=env",
                    "config.providers.env.class=" + EnvVarConfigProvider.class.getName(),
                    "user=${env:USER}${" + ":".repeat(5_000)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("user: a \"${\" without \"}\"");
  }

  @Test
  void takesNamesOfProvidersAsTheyAre() {
    assertThatThrownBy(() -> read(Map.of(), "config.providers=fi(le", "state.dir=${fi(le:a}"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("state.dir");
  }

  @Test
  void saysThatAProvidersClassHasNoName() {
    String almost = FILE_PROVIDER.replace("org.apache", "org/apache");

    assertThatThrownBy(() -> read(Map.of(), "config.providers=file", almost))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("config.providers");
  }

  @Test
  void namesAFileThatCannotBeRead() {
    Path none = directory.resolve("none.properties");
    assertThatThrownBy(() -> ConfigFile.read(none, "X_", Map.of()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("--config " + none);
  }
}
