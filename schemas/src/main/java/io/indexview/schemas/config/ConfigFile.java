package io.indexview.schemas.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * What a process is configured with: a Java properties file, which environment variables override,
 * with references to Kafka's config providers, such as {@code ${file:/run/secrets:password}},
 * replaced by what they stand for.
 */
public final class ConfigFile {
  /**
   * Most characters behind a "${" without "}" that are taken for plain text: a short one may be a
   * part of a password.
   */
  private static final int MAX_OPEN = 200;

  private static final String PROVIDERS = AbstractConfig.CONFIG_PROVIDERS_CONFIG;

  /** What Kubernetes tells each pod of the Services of its namespace, in Docker's form, too. */
  private static final Pattern SERVICE =
      Pattern.compile(
          "(\\w+_)?(SERVICE_HOST=[\\da-fA-F.:]+"
              + "|SERVICE_PORT(_\\w+)?=\\d+"
              + "|PORT(_\\d+_(TCP|UDP|SCTP))?=(tcp|udp|sctp)://\\S+"
              + "|PORT_\\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)=\\S+)");

  private static final Pattern LINE_BREAK = Pattern.compile("\\R\\z");

  private ConfigFile() {}

  /**
   * The values of the file that {@code --config} names, by key; the keys of the providers
   * themselves are left out.
   *
   * @param prefix of environment variables that override keys: with {@code INDEXVIEW_APP_}, {@code
   *     INDEXVIEW_APP_STATE_DIR} is {@code state.dir}; two underscores stand for a hyphen, three
   *     for an underscore; capital letters are those of the file's key. Those by which Kubernetes
   *     tells of a Service with such a name are passed over
   * @throws InvalidConfigException naming everything that cannot be read or replaced
   */
  public static Map<String, String> read(
      Path file, String prefix, Map<String, String> environment) {
    Map<String, String> values = new TreeMap<>(load(file));
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            String rest = name.substring(prefix.length());
            if (!SERVICE.matcher(rest + "=" + value).matches()) {
              values.put(spelled(key(rest), values.keySet()), value);
            }
          }
        });
    return values.containsKey(PROVIDERS) ? resolved(values) : values;
  }

  private static Map<String, String> load(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(List.of("--config " + file + ": " + e));
    }
    Map<String, String> values = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return values;
  }

  private static String key(String variable) {
    return variable
        .toLowerCase(Locale.ROOT)
        .replace("___", "\0")
        .replace("__", "-")
        .replace('_', '.')
        .replace('\0', '_');
  }

  /** Variables do not tell capital letters, which names in keys may have. */
  private static String spelled(String key, Set<String> known) {
    return known.contains(key)
        ? key
        : known.stream().filter(key::equalsIgnoreCase).findFirst().orElse(key);
  }

  private static Map<String, String> resolved(Map<String, String> values) {
    // Kafka takes a space for a part of the name.
    String providers = values.get(PROVIDERS).replaceAll("\\s", "");
    values.put(PROVIDERS, providers);
    refuseOpenReferences(values);
    Map<String, String> resolved;
    try {
      resolved = new AbstractConfig(new ConfigDef(), values, false).originalsStrings();
    } catch (KafkaException | LinkageError e) {
      // The latter for what is nearly the name of a class.
      throw unusable(List.of(PROVIDERS + ": " + e.getMessage()));
    }
    // A file that is a secret ends in a line break more often than the secret does.
    resolved.replaceAll(
        (key, value) ->
            value.equals(values.get(key)) ? value : LINE_BREAK.matcher(value).replaceFirst(""));
    resolved.keySet().removeIf(key -> key.equals(PROVIDERS) || key.startsWith(PROVIDERS + "."));
    String names =
        Arrays.stream(providers.split(",")).map(Pattern::quote).collect(Collectors.joining("|"));
    Pattern reference = Pattern.compile("\\$\\{(" + names + "):[^}]*}");
    List<String> problems = new ArrayList<>();
    resolved.forEach(
        (key, value) -> {
          // Only the reference: what surrounds it may be a secret that another one stood for.
          Matcher open = reference.matcher(value);
          if (open.find()) {
            problems.add(
                "%s: %s stands for nothing; see that its config provider has the key"
                    .formatted(key, open.group()));
          }
        });
    if (!problems.isEmpty()) {
      throw unusable(problems);
    }
    return resolved;
  }

  /** The time that Kafka looks for the end of a reference grows with the cube of its length. */
  private static void refuseOpenReferences(Map<String, String> values) {
    List<String> problems = new ArrayList<>();
    values.forEach(
        (key, value) -> {
          int open = value.indexOf("${", value.lastIndexOf('}') + 1);
          if (open >= 0 && value.length() - open > MAX_OPEN) {
            problems.add("%s: a \"${\" without \"}\"; close the reference".formatted(key));
          }
        });
    if (!problems.isEmpty()) {
      throw unusable(problems);
    }
  }

  private static InvalidConfigException unusable(List<String> problems) {
    return new InvalidConfigException("The configuration is not usable", problems);
  }
}
