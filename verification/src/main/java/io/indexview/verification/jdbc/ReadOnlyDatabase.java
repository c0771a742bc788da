package io.indexview.verification.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.config.types.Password;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a database, each time in a transaction that only reads and is over with the answer. Connects
 * when something is asked, and once more when the connection is lost meanwhile. Not safe for use by
 * several threads.
 */
final class ReadOnlyDatabase implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReadOnlyDatabase.class);
  private static final String APPLICATION = "indexview-verification";
  private static final String CONNECT_TIMEOUT_S = "10";

  /**
   * Wait for an answer. With another connection, twice that is less than a worker may be silent.
   */
  private static final int ANSWER_TIMEOUT_MS = 60_000;

  private static final int VALID_TIMEOUT_S = 5;

  private final JdbcTarget target;
  private Connection connection;

  /** Takes the answer to a query. */
  interface Answer<T> {
    T of(ResultSet rows) throws SQLException;
  }

  /**
   * The database is one that lags behind another; what it holds says nothing. A failover may end
   * that.
   */
  static final class ReplicaException extends SQLTransientConnectionException {
    private static final long serialVersionUID = 1L;

    ReplicaException() {
      super("it is a replica, which lags behind");
    }
  }

  ReadOnlyDatabase(JdbcTarget target) {
    this.target = target;
  }

  <T> T ask(String query, List<Object> parameters, Answer<T> answer) throws SQLException {
    boolean isNew = connection == null;
    try {
      return askOnce(query, parameters, answer);
    } catch (SQLException e) {
      if (isNew || isUsable()) {
        throw e;
      }
      LOGGER.info("Connects to target {} once more: {}", target.name(), e.getMessage());
      close();
      return askOnce(query, parameters, answer);
    }
  }

  private <T> T askOnce(String query, List<Object> parameters, Answer<T> answer)
      throws SQLException {
    if (connection == null) {
      connection = connect();
    }
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < parameters.size(); i++) {
        statement.setObject(i + 1, parameters.get(i));
      }
      try (ResultSet rows = statement.executeQuery()) {
        return answer.of(rows);
      }
    } finally {
      end();
    }
  }

  /** Ends the transaction. Nothing was written, so it makes no difference how. */
  private void end() {
    try {
      if (connection != null) {
        connection.rollback();
      }
    } catch (SQLException e) {
      LOGGER.debug("A connection to target {} cannot be used any more", target.name(), e);
    }
  }

  private boolean isUsable() {
    try {
      return connection != null && connection.isValid(VALID_TIMEOUT_S);
    } catch (SQLException e) {
      return false;
    }
  }

  private Connection connect() throws SQLException {
    Properties settings = new Properties();
    target.username().ifPresent(user -> settings.setProperty("user", user));
    target.password().map(Password::value).ifPresent(it -> settings.setProperty("password", it));
    settings.setProperty("ApplicationName", APPLICATION);
    settings.setProperty("connectTimeout", CONNECT_TIMEOUT_S);
    settings.setProperty("socketTimeout", CONNECT_TIMEOUT_S);
    settings.setProperty("tcpKeepAlive", "true");
    Connection made = DriverManager.getConnection(target.url(), settings);
    boolean isReady = false;
    try {
      // Not of the session, which may be another's as well behind a pool of connections.
      made.setReadOnly(true);
      made.setAutoCommit(false);
      requirePrimary(made);
      made.setNetworkTimeout(Runnable::run, ANSWER_TIMEOUT_MS);
      isReady = true;
      return made;
    } finally {
      if (!isReady) {
        close(made);
      }
    }
  }

  private static void requirePrimary(Connection made) throws SQLException {
    try (Statement statement = made.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_is_in_recovery()")) {
      if (rows.next() && rows.getBoolean(1)) {
        throw new ReplicaException();
      }
    }
    made.rollback();
  }

  /** The next question connects again. */
  @Override
  public void close() {
    if (connection != null) {
      close(connection);
      connection = null;
    }
  }

  private static void close(Connection made) {
    try {
      made.close();
    } catch (SQLException e) {
      LOGGER.debug("A connection was not closed in order", e);
    }
  }
}
