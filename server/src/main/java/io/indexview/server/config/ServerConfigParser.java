package io.indexview.server.config;

import io.indexview.kvstore.KvValidators;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.views.definition.Target;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks a whole configuration and collects every problem before it gives up. */
final class ServerConfigParser {
  private static final Logger LOGGER = LoggerFactory.getLogger(ServerConfigParser.class);
  private static final String WHAT = "The configuration is not usable";
  private static final Pattern SET_NAME = Pattern.compile("[a-z0-9-]{1,60}");

  private final Map<String, String> values;
  private final ConfigDef definition = ServerConfig.definition();
  private final List<String> problems = new ArrayList<>();

  ServerConfigParser(Map<String, String> values) {
    this.values = new TreeMap<>(values);
  }

  ServerConfig parse() {
    recordSetNames().forEach(name -> StoreKeys.defineRecordSet(definition, name));
    targetNames().forEach(name -> TargetKeys.defineTarget(definition, name));
    for (ConfigValue value : definition.validate(values)) {
      // A second message about one key only repeats the first.
      value.errorMessages().stream().findFirst().ifPresent(problems::add);
    }
    refuseUnknownKeys();
    giveUpOnProblems();
    ServerConfig config = new ServerConfig(definition, values);
    checkRegistry();
    checkPairs();
    for (String target : config.jdbcTargets().keySet()) {
      needs(TargetKeys.passwordKey(target), TargetKeys.usernameKey(target));
    }
    KvValidators.findOverlaps(
        config.stores().recordSets(),
        (name, problem) -> problems.add(StoreKeys.prefixKey(name) + ": " + problem));
    checkKeystore(config);
    checkBind(config);
    giveUpOnProblems();
    return config;
  }

  private Set<String> recordSetNames() {
    return names(
        StoreKeys.RECORD_SETS_CONFIG,
        name -> SET_NAME.matcher(name).matches(),
        "a record set; use 1 to 60 of a-z 0-9 -");
  }

  private Set<String> targetNames() {
    return names(
        TargetKeys.CONNECT_TARGETS_CONFIG,
        Target.Connect::isType,
        "a generic sink's target; use %s, and neither of %s"
            .formatted(Target.Connect.TYPE_RULE, Target.OWN));
  }

  private Set<String> names(String key, Predicate<String> isName, String what) {
    Set<String> names = new LinkedHashSet<>();
    for (String part : values.getOrDefault(key, "").split(",", -1)) {
      if (isName.test(part.strip())) {
        names.add(part.strip());
      } else if (!part.isBlank()) {
        problems.add("%s: \"%s\" is not a name of %s".formatted(key, part.strip(), what));
      }
    }
    return names;
  }

  private void giveUpOnProblems() {
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(WHAT, problems);
    }
  }

  private void refuseUnknownKeys() {
    for (String key : values.keySet()) {
      if (!definition.names().contains(key) && !key.startsWith(ServerConfig.KAFKA_PREFIX)) {
        problems.add(
            "%s: unknown key; keys of Kafka's clients start with \"%s\""
                .formatted(key, ServerConfig.KAFKA_PREFIX));
      }
    }
  }

  /** The registry's keys must also fit each other; only a client knows. */
  private void checkRegistry() {
    try (SchemaRegistry client = SchemaRegistries.create(values)) {
      LOGGER.debug("The registry keys are sound: {}", client.getClass().getSimpleName());
    } catch (ConfigException e) {
      problems.add(e.getMessage());
    }
  }

  private void checkPairs() {
    needs(StoreKeys.AWS_ACCESS_KEY_ID_CONFIG, StoreKeys.AWS_SECRET_ACCESS_KEY_CONFIG);
    needs(StoreKeys.AWS_SECRET_ACCESS_KEY_CONFIG, StoreKeys.AWS_ACCESS_KEY_ID_CONFIG);
    needs(StoreKeys.AWS_SESSION_TOKEN_CONFIG, StoreKeys.AWS_ACCESS_KEY_ID_CONFIG);
    needs(StoreKeys.DYNAMODB_ENDPOINT_CONFIG, StoreKeys.AWS_REGION_CONFIG);
    needs(StoreKeys.KVSTORE_SECURITY_FILE_CONFIG, StoreKeys.KVSTORE_URI_CONFIG);
    if (values.containsKey(StoreKeys.RECORD_SETS_CONFIG)
        && !values.containsKey(StoreKeys.KVSTORE_URI_CONFIG)) {
      problems.add(
          "%s: missing; %s names record sets in it"
              .formatted(StoreKeys.KVSTORE_URI_CONFIG, StoreKeys.RECORD_SETS_CONFIG));
    }
    needs(HttpKeys.KEYSTORE_LOCATION_CONFIG, HttpKeys.KEYSTORE_PASSWORD_CONFIG);
    needs(HttpKeys.KEYSTORE_PASSWORD_CONFIG, HttpKeys.KEYSTORE_LOCATION_CONFIG);
  }

  private void needs(String key, String other) {
    if (values.containsKey(key) && !values.containsKey(other)) {
      problems.add("%s: missing; %s is set; set both or none".formatted(other, key));
    }
  }

  private void checkKeystore(ServerConfig config) {
    if (!values.containsKey(HttpKeys.KEYSTORE_LOCATION_CONFIG)
        || !values.containsKey(HttpKeys.KEYSTORE_PASSWORD_CONFIG)) {
      return;
    }
    HttpSettings.Tls tls = config.http().tls().orElseThrow();
    try (InputStream in = Files.newInputStream(tls.keystore())) {
      KeyStore.getInstance(tls.type()).load(in, tls.password().value().toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      problems.add(
          "%s: %s is no %s key store that %s opens: %s"
              .formatted(
                  HttpKeys.KEYSTORE_LOCATION_CONFIG,
                  tls.keystore(),
                  tls.type(),
                  HttpKeys.KEYSTORE_PASSWORD_CONFIG,
                  e.getMessage()));
    }
  }

  private void checkBind(ServerConfig config) {
    String host = config.getString(HttpKeys.HTTP_HOST_CONFIG);
    Optional<InetAddress> address = address(host);
    boolean secured =
        values.containsKey(HttpKeys.KEYSTORE_LOCATION_CONFIG)
            && values.containsKey(HttpKeys.TOKEN_CONFIG);
    if (address.isPresent()
        && !address.get().isLoopbackAddress()
        && !secured
        && !config.getBoolean(HttpKeys.INSECURE_BIND_CONFIG)) {
      problems.add(
          "%s: %s is reached from other machines, which needs %s and %s (or %s=true behind something that does both)"
              .formatted(
                  HttpKeys.HTTP_HOST_CONFIG,
                  host,
                  HttpKeys.KEYSTORE_LOCATION_CONFIG,
                  HttpKeys.TOKEN_CONFIG,
                  HttpKeys.INSECURE_BIND_CONFIG));
    }
  }

  private Optional<InetAddress> address(String host) {
    try {
      return Optional.of(InetAddress.getByName(host));
    } catch (UnknownHostException e) {
      problems.add(
          "%s: %s is no address of this machine; use 127.0.0.1"
              .formatted(HttpKeys.HTTP_HOST_CONFIG, host));
      return Optional.empty();
    }
  }
}
