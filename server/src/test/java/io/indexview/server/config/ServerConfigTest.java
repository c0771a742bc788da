package io.indexview.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.schemas.config.ConfigFile;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.verification.TombstoneRetention;
import io.indexview.verification.jdbc.JdbcTarget;
import io.indexview.verification.live.VerificationSchedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private Path directory;

  private final Map<String, String> values =
      new HashMap<>(
          Map.of(
              "bootstrap.servers", "127.0.0.1:9092",
              "schema.registry.url", "http://127.0.0.1:8081"));

  private String refusal() {
    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, () -> ServerConfig.parse(values));
    assertThat(refused).isNotNull();
    return refused.getMessage();
  }

  @Test
  void listensOnLoopbackWithoutToken() {
    HttpSettings http = ServerConfig.parse(values).http();

    assertThat(http.address().host()).isEqualTo("127.0.0.1");
    assertThat(http.tls()).isEmpty();
    assertThat(http.token()).isEmpty();
  }

  @Test
  void verifiesSingleViewsAsOftenAsItSays() {
    values.put("verification.interval.ms", "86400000");
    values.put("verification.interval.ms.overrides", "cities-by-name:3600000, files:0");
    values.put("verification.read.units.per.second", "40");

    assertThat(ServerConfig.parse(values).verificationSchedule())
        .isEqualTo(
            new VerificationSchedule.Every(
                Duration.ofDays(1),
                Map.of("cities-by-name", Duration.ofHours(1), "files", Duration.ZERO),
                new Limits(0, 0, 40)));
  }

  @Test
  void knowsForHowLongTombstonesAreKept() {
    assertThat(ServerConfig.parse(values).tombstoneRetention())
        .isEqualTo(TombstoneRetention.DEFAULT);

    values.put("verification.row.tombstone.retention.ms", "5000");
    values.put("verification.row.tombstone.removal.ms", "7000");

    assertThat(ServerConfig.parse(values).tombstoneRetention())
        .returns(Duration.ofSeconds(5), TombstoneRetention::retention)
        .returns(Duration.ofSeconds(7), TombstoneRetention::removal);
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "files:", "files:1h", "Files:5", "files:5,files:6"})
  void refusesIntervalsThatAreNone(String text) {
    values.put("verification.interval.ms.overrides", text);

    assertThat(refusal()).contains("verification.interval.ms.overrides");
  }

  @Test
  void opensTheStoreAsItsConnectorsDo() {
    values.put("kvstore.uri", "oracle://a:5000,b:5000/people");
    assertThat(ServerConfig.parse(values).stores().kvStore())
        .contains(KvStoreConfig.of("oracle://a:5000,b:5000/people"));

    values.put("kvstore.request.timeout.ms", "700");
    values.put("kvstore.durability", "write_no_sync");
    assertThat(ServerConfig.parse(values).stores().kvStore())
        .contains(
            KvStoreConfig.of("oracle://a:5000,b:5000/people")
                .withRequestTimeout(Duration.ofMillis(700))
                .withDurability(KvDurability.WRITE_NO_SYNC));
  }

  /** Files as {@code echo} writes them, and a reference in a variable. */
  @Test
  void takesSecretsFromFilesOfTheirOwn() throws IOException {
    Files.writeString(directory.resolve("token"), TOKEN + "\n");
    Files.writeString(directory.resolve("aws"), "secret\n");
    Path file =
        Files.writeString(
            directory.resolve("server.properties"),
            """
            bootstrap.servers=127.0.0.1:9092
            schema.registry.url=http://127.0.0.1:8081
            aws.region=eu-central-1
            aws.access.key.id=AKIA
            aws.secret.access.key=${directory:%1$s:aws}
            config.providers=directory
            config.providers.directory.class=org.apache.kafka.common.config.provider.DirectoryConfigProvider
            """
                .formatted(directory));
    ServerConfig config =
        ServerConfig.parse(
            ConfigFile.read(
                file,
                "INDEXVIEW_SERVER_",
                Map.of("INDEXVIEW_SERVER_HTTP_TOKEN", "${directory:" + directory + ":token}")));

    assertThat(config.http().token()).contains(new Password(TOKEN));
    assertThat(config.stores().dynamoDb().orElseThrow().access().secretAccessKey())
        .isEqualTo("secret");
  }

  @Test
  void opensTablesWithTheKeysThatAreGiven() {
    values.put("aws.region", "eu-central-1");
    values.put("aws.access.key.id", "ASIA");
    values.put("aws.secret.access.key", "secret");
    values.put("aws.session.token", "session");

    assertThat(ServerConfig.parse(values).stores().dynamoDb())
        .hasValueSatisfying(
            keys -> {
              assertThat(keys.access().accessKeyId()).isEqualTo("ASIA");
              assertThat(keys.access().secretAccessKey()).isEqualTo("secret");
              assertThat(keys.access().sessionToken()).isEqualTo("session");
            });
  }

  @Test
  void namesWhatIsWrongWithTheStoresSettings() {
    values.put("kvstore.request.timeout.ms", "0");
    values.put("kvstore.durability", "none");

    assertThat(refusal())
        .contains("kvstore.request.timeout.ms", "kvstore.durability", "write_no_sync");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void refusesOtherAddressesWithoutTlsAndToken(String host) {
    values.put("http.host", host);
    assertThat(refusal()).contains("http.host", "http.tls.keystore.location", "http.token");

    values.put("http.token", TOKEN);
    assertThat(refusal()).contains("http.host");

    values.put("http.insecure.bind", "true");
    assertThat(ServerConfig.parse(values).http().address().host()).isEqualTo(host);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "::1", "127.0.0.2"})
  void takesAnyLoopbackAddress(String host) {
    values.put("http.host", host);

    assertThat(ServerConfig.parse(values).http().address().host()).isEqualTo(host);
  }

  @Test
  void namesEverythingThatIsWrong() {
    values.remove("bootstrap.servers");
    values.put("http.port", "-1");
    values.put("http.tokens", TOKEN);
    values.put("topic.prefix", "a/b");
    values.put("record.sets", "people");

    assertThat(refusal())
        .contains(
            "bootstrap.servers",
            "http.port",
            "http.tokens",
            "topic.prefix",
            "record.set.people.prefix");
  }

  @ParameterizedTest
  @CsvSource({
    "aws.access.key.id, me, aws.secret.access.key",
    "aws.secret.access.key, secret, aws.access.key.id",
    "aws.session.token, secret, aws.access.key.id",
    "dynamodb.endpoint, http://127.0.0.1:8000, aws.region",
    "http.tls.keystore.password, secret, http.tls.keystore.location"
  })
  void namesWhatIsMissingBesideAKey(String key, String value, String missing) {
    values.put(key, value);

    assertThat(refusal()).contains(missing + ": missing");
  }

  @Test
  void needsAStoreForRecords() {
    values.put("record.sets", "people");
    values.put("record.set.people.prefix", "/World/people");
    assertThat(refusal()).contains("kvstore.uri");

    values.put("kvstore.uri", "embedded:/tmp/store");
    assertThat(ServerConfig.parse(values).stores().recordSets())
        .containsEntry("people", KvKeySet.under(KvKey.ofMajor("World", "people")));
  }

  @Test
  void knowsTheMinorKeysOfRecordSetsThatShareAPrefix() {
    values.put("kvstore.uri", "embedded:/tmp/store");
    values.put("record.sets", "people,mails");
    values.put("record.set.people.prefix", "/World/people");
    values.put("record.set.mails.prefix", "/World/people");
    values.put("record.set.mails.minor.keys", "/-/mail");
    assertThat(refusal()).contains("record.set.mails.prefix", "record set people");

    values.put("record.set.people.minor.keys", "/-,/-/keys/public");
    assertThat(ServerConfig.parse(values).stores().recordSets().get("people").minors())
        .containsExactlyInAnyOrder(List.of(), List.of("keys", "public"));

    values.put("record.set.mails.minor.keys", "mail");
    assertThat(refusal()).contains("record.set.mails.minor.keys", "begins with /-/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http.token", "page.token.key"})
  void refusesSecretsThatAreEasilyGuessedWithoutRepeatingThem(String key) {
    values.put(key, "hunter2");

    assertThat(refusal()).contains(key).doesNotContain("hunter2");
  }

  @Test
  void refusesAKeyStoreThatItCannotOpen() throws IOException {
    Path keystore = Files.writeString(directory.resolve("keystore.p12"), "no key store");
    values.put("http.tls.keystore.location", keystore.toString());
    values.put("http.tls.keystore.password", "hunter2");

    assertThat(refusal()).contains("http.tls.keystore.location").doesNotContain("hunter2");
  }

  @Test
  void passesKeysOfKafkaOn() {
    values.put("kafka.security.protocol", "SSL");

    assertThat(ServerConfig.parse(values).kafkaSettings())
        .containsEntry("security.protocol", "SSL")
        .containsEntry("bootstrap.servers", "127.0.0.1:9092")
        .doesNotContainKey("schema.registry.url");
  }

  @Test
  void neverShowsSecrets() {
    values.put("http.token", TOKEN);
    values.put("connect.targets", "jdbc");
    values.put("target.jdbc.connection.url", "jdbc:postgresql://db:5432/files");
    values.put("target.jdbc.connection.username", "reader");
    values.put("target.jdbc.connection.password", TOKEN);

    ServerConfig config = ServerConfig.parse(values);
    assertThat(config.toString() + config.http() + config.jdbcTargets()).doesNotContain(TOKEN);
  }

  @Test
  void readsTheDatabasesOfGenericSinks() {
    values.put("connect.targets", "jdbc, archive");
    values.put("target.jdbc.connection.url", "jdbc:postgresql://db:5432/files?sslmode=verify-full");
    values.put("target.jdbc.connection.username", "reader");
    values.put("target.jdbc.connection.password", "hunter2");
    values.put("target.archive.connection.url", "jdbc:postgresql://a,b/files");
    values.put("target.archive.collection.name.format", "views.v_${topic}");
    values.put("target.archive.fetch.size", "50");

    assertThat(ServerConfig.parse(values).jdbcTargets())
        .isEqualTo(
            Map.of(
                "jdbc",
                new JdbcTarget(
                    "jdbc",
                    "jdbc:postgresql://db:5432/files?sslmode=verify-full",
                    Optional.of("reader"),
                    Optional.of(new Password("hunter2")),
                    "${topic}",
                    1_000),
                "archive",
                new JdbcTarget(
                    "archive",
                    "jdbc:postgresql://a,b/files",
                    Optional.empty(),
                    Optional.empty(),
                    "views.v_${topic}",
                    50)));
  }

  @Test
  void namesEverythingThatIsWrongWithTheDatabasesOfGenericSinks() {
    values.put("connect.targets", "kv,Jdbc,a,b,c,d,e");
    values.put("target.b.connection.url", "jdbc:mysql://db/files?password=hunter2");
    values.put("target.c.connection.url", "jdbc:postgresql://db/files?a=b&password=hunter2");
    values.put("target.d.connection.url", "jdbc:postgresql://db:x/files");
    values.put("target.d.collection.name.format", "${topic}_${generation}");
    values.put("target.e.connection.url", "jdbc:postgresql://db/files");
    values.put("target.e.fetch.size", "0");
    values.put("target.f.connection.url", "jdbc:postgresql://db/files");

    assertThat(refusal())
        .contains(
            "connect.targets: \"kv\"",
            "connect.targets: \"Jdbc\"",
            "target.a.connection.url",
            "target.b.connection.url: begins with something else than jdbc:postgresql:",
            "target.c.connection.url: holds a password",
            "target.c.connection.password",
            "target.d.connection.url: nothing that PostgreSQL's driver takes",
            "target.d.collection.name.format",
            "target.e.fetch.size",
            "target.f.connection.url: unknown key")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://user:hunter2@db:5432/files",
        "jdbc:postgresql://hunter2@db/files?sslmode=verify-full",
        "jdbc:postgresql://a,user:hunter2@db/files",
        "jdbc:postgresql://user:12/hunter2@db:5432/files",
        "jdbc:postgresql://user:12?hunter2@db:5432/files",
      })
  void refusesUsersAndPasswordsBeforeTheHostOfADatabase(String url) {
    values.put("connect.targets", "jdbc");
    values.put("target.jdbc.connection.url", url);

    assertThat(refusal())
        .contains("target.jdbc.connection.url: holds an @", "target.jdbc.connection.username")
        .doesNotContain("hunter2");
  }

  @Test
  void needsAUserForThePasswordOfADatabase() {
    values.put("connect.targets", "jdbc");
    values.put("target.jdbc.connection.url", "jdbc:postgresql://db/files");
    values.put("target.jdbc.connection.password", "hunter2");

    assertThat(refusal()).contains("target.jdbc.connection.username: missing");
  }
}
