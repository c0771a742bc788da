package io.indexview.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.registry.RegistryHttp.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryConfigTest {
  @Test
  void describesEveryKey() {
    assertThat(RegistryConfig.configDef().configKeys().values())
        .isNotEmpty()
        .allSatisfy(
            key -> {
              assertThat(key.group).isNotBlank();
              assertThat(key.displayName).isNotBlank().isNotEqualTo(key.name);
              assertThat(key.documentation).isNotBlank();
            });
  }

  @Test
  void keepsSecretsInPasswords() {
    assertThat(RegistryConfig.configDef().configKeys().values())
        .filteredOn(key -> key.name.matches(".*(password|token|user\\.info).*"))
        .hasSize(3)
        .allMatch(key -> key.type == ConfigDef.Type.PASSWORD);
  }

  @Test
  void takesSeveralAddressesWithPaths() {
    assertThat(endpoints("http://a:8081/, https://b/apis/ccompat/v7//"))
        .extracting(Endpoint::base)
        .containsExactly("http://a:8081", "https://b/apis/ccompat/v7");
  }

  @Test
  void sendsTheUserInfoOfAnAddressToThatAddressOnly() {
    List<Endpoint> endpoints = endpoints("http://user:p%40+ss@a:8081,http://b:8081");

    assertThat(endpoints.get(0).authorization()).isEqualTo(Endpoint.basic("user:p@+ss"));
    assertThat(endpoints.get(1).authorization()).isNull();
    assertThat(endpoints.toString()).isEqualTo("[http://a:8081, http://b:8081]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user:hush@a:8081             | begin with http://",
        "ftp://user:hush@a:8081       | begin with http://",
        "http://user:hush@a b         | is not a URL",
        "http://user:hush@my_host:80  | host name",
        "http://user:hush@a:80/?x=1   | query",
        "http://user:hush@a,mock://x  | mock://",
        "'   '                        | is empty",
      })
  void refusesAnAddressWithoutRepeatingItsUserInfo(String url, String said) {
    assertThatThrownBy(() -> endpoints(url))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(RegistryConfig.URL_CONFIG)
        .hasMessageContaining(said)
        .hasNoCause()
        .message()
        .doesNotContain("hush");
  }

  @Test
  void namesAllWrongAddressesAtOnce() {
    assertThatThrownBy(() -> endpoints("ftp://a,http://b,c"))
        .hasMessageContaining("entry 1 ")
        .hasMessageContaining("entry 3 ");
  }

  @Test
  void refusesAMissingAddress() {
    assertThatThrownBy(() -> SchemaRegistries.create(Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(RegistryConfig.URL_CONFIG);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hush\nX-Injected: 1", "hush hush", ""})
  void refusesATokenThatIsNoHeaderValueWithoutRepeatingIt(String token) {
    assertThatThrownBy(() -> config(RegistryConfig.BEARER_TOKEN_CONFIG, token))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(RegistryConfig.BEARER_TOKEN_CONFIG)
        .message()
        .doesNotContain("hush");
  }

  @Test
  void refusesAUserInfoWithoutPasswordWithoutRepeatingIt() {
    assertThatThrownBy(() -> config(RegistryConfig.USER_INFO_CONFIG, "hush"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(RegistryConfig.USER_INFO_CONFIG)
        .message()
        .doesNotContain("hush");
  }

  @Test
  void refusesTwoKindsOfCredentials() {
    Map<String, String> both =
        Map.of(
            RegistryConfig.URL_CONFIG, "http://a",
            RegistryConfig.USER_INFO_CONFIG, "user:hush",
            RegistryConfig.BEARER_TOKEN_CONFIG, "hush");
    assertThatThrownBy(() -> new RegistryConfig(both))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("keep one");

    Map<String, String> inAddress =
        Map.of(
            RegistryConfig.URL_CONFIG, "http://user:hush@a",
            RegistryConfig.BEARER_TOKEN_CONFIG, "hush");
    assertThatThrownBy(() -> SchemaRegistries.create(inAddress))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("keep one")
        .message()
        .doesNotContain("hush");
  }

  @Test
  void sharesAMockByItsScope() {
    SchemaRegistry one = SchemaRegistries.create(Map.of(RegistryConfig.URL_CONFIG, "mock://a_b"));
    SchemaRegistry same = SchemaRegistries.create(Map.of(RegistryConfig.URL_CONFIG, "mock://a_b"));
    SchemaRegistry other = SchemaRegistries.create(Map.of(RegistryConfig.URL_CONFIG, "mock://c"));

    assertThat(one).isSameAs(same).isNotSameAs(other);
  }

  @Test
  void pausesLongerAfterEachRoundUpToABound() {
    RetryPolicy policy = new RetryPolicy(100, Duration.ofMillis(100));

    assertThat(policy.pauseAfter(0).toMillis()).isBetween(50L, 100L);
    assertThat(policy.pauseAfter(3).toMillis()).isBetween(400L, 800L);
    assertThat(policy.pauseAfter(99).toMillis()).isBetween(2_500L, 5_000L);
  }

  private static List<Endpoint> endpoints(String url) {
    return new RegistryConfig(Map.of(RegistryConfig.URL_CONFIG, url)).endpoints();
  }

  private static RegistryConfig config(String key, String value) {
    Map<String, String> config = new HashMap<>(Map.of(RegistryConfig.URL_CONFIG, "http://a"));
    config.put(key, value);
    return new RegistryConfig(config);
  }
}
