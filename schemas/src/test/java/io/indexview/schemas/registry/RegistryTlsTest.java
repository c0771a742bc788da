package io.indexview.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.indexview.schemas.fixtures.OwnCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryTlsTest {
  private static final String PASSWORD = "changeit";

  @TempDir static Path directory;

  private static Path keyStore;
  private static Path certificate;
  private static RegistryHttpServer server;

  @BeforeAll
  static void start() throws Exception {
    keyStore = directory.resolve("keys.p12");
    certificate = directory.resolve("certificate.pem");
    OwnCertificate own = new OwnCertificate(keyStore, PASSWORD, "ip:127.0.0.1");
    own.export(certificate);
    HttpsServer https =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    https.setHttpsConfigurator(new HttpsConfigurator(own.serverContext()));
    server = new RegistryHttpServer(new InMemorySchemaRegistry(), https);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void trustsTheCertificatesOfTheTrustStore() {
    assertThat(subjectIsKnown(trust(keyStore, "PKCS12", PASSWORD))).isFalse();
    assertThat(subjectIsKnown(trust(keyStore, "JKS", PASSWORD))).isFalse();
    assertThat(subjectIsKnown(trust(certificate, "PEM", null))).isFalse();
  }

  @Test
  void doesNotTrustAnyOtherCertificate() {
    assertThatThrownBy(() -> subjectIsKnown(Map.of(RegistryConfig.RETRIES_CONFIG, "0")))
        .isInstanceOf(RegistryException.Unavailable.class)
        .hasMessageContaining("SSLHandshakeException");
  }

  @Test
  void saysWhichTrustStoreCannotBeRead() throws IOException {
    assertThatThrownBy(() -> subjectIsKnown(trust(keyStore, "PKCS12", "hush")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(keyStore.toString())
        .message()
        .doesNotContain("hush");
    Path empty = Files.createFile(directory.resolve("empty.pem"));
    assertThatThrownBy(() -> subjectIsKnown(trust(empty, "PEM", null)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("no certificate");
    assertThatThrownBy(() -> subjectIsKnown(trust(directory.resolve("none"), "JKS", null)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(RegistryConfig.TRUSTSTORE_LOCATION_CONFIG);
  }

  private static boolean subjectIsKnown(Map<String, String> config) {
    Map<String, String> all = new HashMap<>(config);
    all.put(RegistryConfig.URL_CONFIG, "https://" + server.address());
    try (SchemaRegistry registry = SchemaRegistries.create(all)) {
      return registry.latest("people-value").isPresent();
    }
  }

  private static Map<String, String> trust(Path store, String type, String password) {
    Map<String, String> config = new HashMap<>();
    config.put(RegistryConfig.TRUSTSTORE_LOCATION_CONFIG, store.toString());
    config.put(RegistryConfig.TRUSTSTORE_TYPE_CONFIG, type);
    if (password != null) {
      config.put(RegistryConfig.TRUSTSTORE_PASSWORD_CONFIG, password);
    }
    return config;
  }
}
