package io.indexview.verification.jdbc;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.types.Password;

/**
 * A PostgreSQL database that a generic JDBC sink writes views to, and how it is read.
 *
 * @param name of the target, as views have it
 * @param url as the driver takes it, {@code jdbc:postgresql:...}; no password in it
 * @param username empty: the driver's default
 * @param password empty: none
 * @param collectionNameFormat name of a generation's table, as the sink has it: {@value #TOPIC} for
 *     the topic with {@code _} for {@code .}, perhaps a schema and {@code .} before
 * @param fetchSize rows that are asked for, and are in memory, at once
 */
public record JdbcTarget(
    String name,
    String url,
    Optional<String> username,
    Optional<Password> password,
    String collectionNameFormat,
    int fetchSize) {
  /** What URLs begin with. */
  public static final String URL_PREFIX = "jdbc:postgresql:";

  /** Stands for the name of the topic. */
  public static final String TOPIC = "${topic}";

  public static final int DEFAULT_FETCH_SIZE = 1_000;

  private static final String CHARACTER = "(?:(?!\\$\\{)[^.\"\\p{Cntrl}])";
  private static final Pattern FORMAT =
      Pattern.compile("(?:%s+\\.)?%1$s*\\$\\{topic}%1$s*".formatted(CHARACTER));

  public JdbcTarget {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(username, "username");
    Objects.requireNonNull(password, "password");
    if (!url.startsWith(URL_PREFIX)) {
      throw new IllegalArgumentException("no URL of PostgreSQL: it begins with " + URL_PREFIX);
    }
    if (!isFormat(collectionNameFormat)) {
      throw new IllegalArgumentException("no format of names of tables: " + collectionNameFormat);
    }
    if (fetchSize < 1) {
      throw new IllegalArgumentException("fetchSize: " + fetchSize);
    }
  }

  /** Whether it is a {@link #collectionNameFormat}. */
  public static boolean isFormat(String format) {
    return FORMAT.matcher(format).matches();
  }

  /** The table of a generation, in quotes. */
  String table(String viewTopic) {
    int point = collectionNameFormat.indexOf('.');
    String table =
        collectionNameFormat.substring(point + 1).replace(TOPIC, viewTopic.replace('.', '_'));
    return point < 0
        ? quoted(table)
        : quoted(collectionNameFormat.substring(0, point)) + "." + quoted(table);
  }

  static String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /** A key of the server's configuration. */
  public static String key(String target, String last) {
    return "target." + target + "." + last;
  }

  String key(String last) {
    return key(name, last);
  }
}
