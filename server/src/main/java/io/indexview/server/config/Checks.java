package io.indexview.server.config;

import io.indexview.client.read.PageTokens;
import io.indexview.verification.jdbc.JdbcTarget;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef.LambdaValidator;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** Checks of single values; those of keys without a default let null pass. */
final class Checks {
  /** Password in a URL of JDBC. */
  private static final Pattern URL_PASSWORD =
      Pattern.compile("[?&](password|sslpassword)=", Pattern.CASE_INSENSITIVE);

  private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]+");

  private static final Pattern VIEW_INTERVAL = Pattern.compile("([a-z0-9-]{1,60}):(\\d{1,15})");

  static final Validator VIEW_INTERVALS =
      LambdaValidator.with(
          (key, value) -> viewIntervals(key, (List<?>) value), () -> "view:ms, each view once");

  static final Validator READABLE_FILE =
      LambdaValidator.with(
          (key, value) -> readable(key, (String) value), () -> "a file that can be read");

  static final Validator JDBC_URL =
      LambdaValidator.with(
          (key, value) -> jdbcUrl(key, (String) value),
          () -> "jdbc:postgresql://host:port/database, without a password");

  static final Validator COLLECTION_NAME_FORMAT =
      LambdaValidator.with(
          (key, value) -> collectionNameFormat(key, (String) value),
          () -> "${topic} once, perhaps after a schema and a point");

  /** A token of at least 16 visible ASCII characters. */
  static final Validator TOKEN = secret(16);

  static final Validator PAGE_TOKEN_KEY = secret(PageTokens.MIN_KEY_BYTES);

  private Checks() {}

  /** Each as view:ms. */
  static Map<String, Duration> viewIntervals(String key, List<?> texts) {
    Map<String, Duration> intervals = new HashMap<>();
    for (Object text : texts) {
      Matcher matcher = VIEW_INTERVAL.matcher(text.toString().strip());
      if (!matcher.matches()) {
        throw new ConfigException(
            key, text, "Use the view's name, a colon and milliseconds, as cities-by-name:3600000");
      }
      Duration interval = Duration.ofMillis(Long.parseLong(matcher.group(2)));
      if (intervals.put(matcher.group(1), interval) != null) {
        throw new ConfigException(key, text, "Name each view once");
      }
    }
    return intervals;
  }

  private static void readable(String key, String value) {
    try {
      if (value != null && !Files.isReadable(Path.of(value))) {
        throw new ConfigException(key, value, "the file cannot be read");
      }
    } catch (InvalidPathException e) {
      throw new ConfigException(key, value, e.getMessage());
    }
  }

  private static void jdbcUrl(String key, String value) {
    if (value == null) {
      return;
    }
    // Without the value, in which there may be a secret.
    if (!value.startsWith(JdbcTarget.URL_PREFIX)) {
      throw new ConfigException(
          "%s: begins with something else than %s; only PostgreSQL is read"
              .formatted(key, JdbcTarget.URL_PREFIX));
    }
    if (URL_PASSWORD.matcher(value).find()) {
      throw new ConfigException(
          "%s: holds a password, which logs may show; use %s"
              .formatted(key, key.replace("connection.url", "connection.password")));
    }
    // The driver takes none there, but says what it took for a host, or the whole.
    if (value.contains("@")) {
      throw new ConfigException(
          "%s: holds an @, as if there were a user or a password before the host, which logs may show; use %s and %s, and write any other @ as %%40"
              .formatted(
                  key,
                  key.replace("connection.url", "connection.username"),
                  key.replace("connection.url", "connection.password")));
    }
    try {
      DriverManager.getDriver(value);
    } catch (SQLException e) {
      throw new ConfigException(
          "%s: nothing that PostgreSQL's driver takes; use jdbc:postgresql://host:port/database"
              .formatted(key));
    }
  }

  private static void collectionNameFormat(String key, String value) {
    if (value != null && !JdbcTarget.isFormat(value)) {
      throw new ConfigException(
          key,
          value,
          "Use what the sink has, which names %s once, perhaps after a schema and a point; no other placeholder is known"
              .formatted(JdbcTarget.TOPIC));
    }
  }

  private static Validator secret(int minLength) {
    String remedy = "at least %d visible ASCII characters".formatted(minLength);
    return LambdaValidator.with(
        (key, value) -> {
          String text = value == null ? null : ((Password) value).value();
          if (text != null && (text.length() < minLength || !VISIBLE.matcher(text).matches())) {
            // Without the value, which is a secret.
            throw new ConfigException("%s: use %s, without spaces".formatted(key, remedy));
          }
        },
        () -> remedy);
  }
}
