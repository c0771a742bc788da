package io.indexview.server.config;

import io.indexview.schemas.config.ConfigKeys;
import io.indexview.verification.jdbc.JdbcTarget;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;

/** The keys of the databases that generic JDBC sinks write to. */
public final class TargetKeys {
  public static final String CONNECT_TARGETS_CONFIG = "connect.targets";
  private static final String CONNECT_TARGETS_DOC =
      "Of the app's connect.targets those that a JDBC sink writes to PostgreSQL and whose views this"
          + " server is to verify, comma-separated; each needs target.<name>.connection.url.";

  private static final String URL_DOC =
      "The database, as PostgreSQL's JDBC driver takes it: jdbc:postgresql://host:5432/files?sslmode=verify-full."
          + " It has to be the primary that the sink writes to; of several hosts,"
          + " targetServerType=primary finds it. It is only read.";
  private static final String USERNAME_DOC =
      "User to read with; needs nothing but SELECT on the sink's tables.";
  private static final String PASSWORD_DOC = "The user's password.";
  private static final String FORMAT_DOC =
      "How the tables are named, as the sink has it: ${topic} stands for the topic with _ for ., and"
          + " a schema may come before, as views.${topic}.";
  private static final String FETCH_SIZE_DOC =
      "How many rows are asked for at once; as many are in memory, for each view that is verified.";
  private static final int FETCH_SIZE_MAX = 100_000;

  private TargetKeys() {}

  static void define(ConfigDef definition) {
    new ConfigKeys(definition, "Connect targets")
        .add(
            CONNECT_TARGETS_CONFIG,
            Type.LIST,
            List.of(),
            ValidList.anyNonDuplicateValues(true, false),
            Importance.MEDIUM,
            CONNECT_TARGETS_DOC);
  }

  /** The keys of a target that {@value #CONNECT_TARGETS_CONFIG} names. */
  static void defineTarget(ConfigDef definition, String name) {
    ConfigKeys keys = new ConfigKeys(definition, "Target " + name);
    keys.add(
        urlKey(name),
        Type.STRING,
        ConfigDef.NO_DEFAULT_VALUE,
        Checks.JDBC_URL,
        Importance.HIGH,
        URL_DOC);
    keys.add(usernameKey(name), Type.STRING, null, null, Importance.MEDIUM, USERNAME_DOC);
    keys.add(passwordKey(name), Type.PASSWORD, null, null, Importance.MEDIUM, PASSWORD_DOC);
    keys.add(
        formatKey(name),
        Type.STRING,
        JdbcTarget.TOPIC,
        Checks.COLLECTION_NAME_FORMAT,
        Importance.LOW,
        FORMAT_DOC);
    keys.add(
        fetchSizeKey(name),
        Type.INT,
        JdbcTarget.DEFAULT_FETCH_SIZE,
        ConfigDef.Range.between(1, FETCH_SIZE_MAX),
        Importance.LOW,
        FETCH_SIZE_DOC);
  }

  /** Key of what says where a target's database is. */
  public static String urlKey(String target) {
    return JdbcTarget.key(target, "connection.url");
  }

  static String usernameKey(String target) {
    return JdbcTarget.key(target, "connection.username");
  }

  static String passwordKey(String target) {
    return JdbcTarget.key(target, "connection.password");
  }

  private static String formatKey(String target) {
    return JdbcTarget.key(target, "collection.name.format");
  }

  private static String fetchSizeKey(String target) {
    return JdbcTarget.key(target, "fetch.size");
  }

  /** The databases by the names of their targets. */
  static Map<String, JdbcTarget> read(AbstractConfig config) {
    Map<String, JdbcTarget> targets = new LinkedHashMap<>();
    for (String name : config.getList(CONNECT_TARGETS_CONFIG)) {
      targets.put(
          name,
          new JdbcTarget(
              name,
              config.getString(urlKey(name)),
              Optional.ofNullable(config.getString(usernameKey(name))),
              Optional.ofNullable(config.getPassword(passwordKey(name))),
              config.getString(formatKey(name)),
              config.getInt(fetchSizeKey(name))));
    }
    return targets;
  }
}
