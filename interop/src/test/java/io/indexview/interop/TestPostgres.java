package io.indexview.interop;

import static org.junit.jupiter.api.Assumptions.abort;

import io.indexview.local.FreePorts;
import io.indexview.verification.jdbc.JdbcTarget;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.types.Password;

/** A PostgreSQL server of a test class, with its superuser {@value #USER}. */
final class TestPostgres implements AutoCloseable {
  static final String USER = "postgres";

  private final EmbeddedPostgres server;

  private TestPostgres(EmbeddedPostgres server) {
    this.server = server;
  }

  /** Skips the test where there are no binaries for this platform. */
  static TestPostgres start(Map<String, String> settings) throws IOException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setPort(FreePorts.next(InetAddress.getLoopbackAddress()))
            .setPGStartupWait(Duration.ofMinutes(2));
    settings.forEach(builder::setServerConfig);
    try {
      return new TestPostgres(builder.start());
    } catch (IllegalStateException e) {
      if (String.valueOf(e.getMessage()).contains("Missing")) {
        abort("no PostgreSQL binaries for this platform: " + e.getMessage());
      }
      throw e;
    }
  }

  int port() {
    return server.getPort();
  }

  String url() {
    return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(server.getPort());
  }

  /** As the server is told of it. */
  JdbcTarget target(String user, int fetchSize) {
    return new JdbcTarget(
        "jdbc",
        url(),
        Optional.of(user),
        Optional.of(new Password("secret")),
        JdbcTarget.TOPIC,
        fetchSize);
  }

  Connection connect() throws SQLException {
    return server.getPostgresDatabase().getConnection();
  }

  void execute(String statements) throws SQLException {
    try (Connection sql = connect();
        Statement statement = sql.createStatement()) {
      statement.execute(statements);
    }
  }

  /** Each row as its columns' texts, with {@code |} between. */
  List<String> rows(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection sql = connect();
        Statement statement = sql.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.add(result.getString(i));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
