package io.indexview.dynamodb;

import io.indexview.aws.AwsErrors;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

/** Creates and deletes tables, and waits until that is done. */
final class TableAdmin {
  private static final Logger LOGGER = LoggerFactory.getLogger(TableAdmin.class);
  private static final long POLL_INTERVAL_MS = 200;

  private final DynamoDbAsyncClient client;
  private final NewTables newTables;
  private final BiFunction<String, Throwable, ItemStoreException> failures;

  /**
   * @param failures makes of a table's name and what was thrown what is told
   */
  TableAdmin(
      DynamoDbAsyncClient client,
      NewTables newTables,
      BiFunction<String, Throwable, ItemStoreException> failures) {
    this.client = client;
    this.newTables = newTables;
    this.failures = failures;
  }

  Optional<TableDescription> describe(String table) {
    try {
      return Optional.of(client.describeTable(r -> r.tableName(table)).get().table());
    } catch (InterruptedException e) {
      throw interrupted(table, e);
    } catch (Exception e) {
      if (AwsErrors.unwrap(e) instanceof ResourceNotFoundException) {
        return Optional.empty();
      }
      throw failures.apply(table, e);
    }
  }

  void ensure(TableSpec table, Duration timeout, Consumer<String> created) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean isNew = describe(table.name()).isEmpty();
    if (isNew) {
      create(table).map(TableDescriptions::identity).ifPresent(created);
    }
    TableDescription usable = awaitUsable(table, deadline);
    if (TableDescriptions.lacksOnlyIndexes(table, usable)) {
      usable = addIndexes(table, usable, deadline);
    }
    Optional<String> expiry = isNew ? Optional.empty() : expiry(table);
    requireSame(table, usable, expiry);
    if (table.expiryAttribute() != null && expiry.isEmpty()) {
      switchExpiryOn(table);
    }
  }

  /** The service makes one index of a table at a time. */
  private TableDescription addIndexes(TableSpec table, TableDescription present, long deadline) {
    TableDescription now = present;
    List<TableSpec.Index> missing = TableDescriptions.missingIndexes(table, now);
    while (!missing.isEmpty()) {
      TableSpec.Index index = missing.get(0);
      add(table, index, now);
      now = awaitUsable(table, deadline);
      missing = TableDescriptions.missingIndexes(table, now);
      // Descriptions may be a little older than what was done.
      if (missing.contains(index)) {
        throw notUsable(table, Optional.of(now));
      }
    }
    return now;
  }

  private void add(TableSpec table, TableSpec.Index index, TableDescription present) {
    try {
      client.updateTable(TableDescriptions.addRequest(table.name(), index, present)).get();
      LOGGER.info("Adding index {} to table {}", index.name(), table.name());
    } catch (InterruptedException e) {
      throw interrupted(table.name(), e);
    } catch (Exception e) {
      ItemStoreException failure = failures.apply(table.name(), e);
      // Another task may have been quicker: the store then calls the request invalid.
      if (!(failure instanceof ItemStoreException.Rejected
          && (isThere(table, index) || failure.getMessage().contains("already exists")))) {
        throw failure;
      }
    }
  }

  private boolean isThere(TableSpec table, TableSpec.Index index) {
    return describe(table.name())
        .filter(now -> !TableDescriptions.missingIndexes(table, now).contains(index))
        .isPresent();
  }

  void check(TableSpec table) {
    Optional<TableDescription> description = describe(table.name());
    if (description.isEmpty()) {
      throw new ItemStoreException.NoTable(table.name(), null);
    }
    Optional<String> expiry = expiry(table);
    requireSame(table, description.get(), expiry);
    if (table.expiryAttribute() != null && expiry.isEmpty()) {
      LOGGER.warn(
          "Table {}: time to live is off, so items that expire, such as tombstones of deleted rows, stay for ever; switch it on for attribute {}",
          table.name(),
          table.expiryAttribute());
    }
    if (!TableDescriptions.isUsable(table, description.get())) {
      throw notUsable(table, description);
    }
  }

  /** Time to live that is off is no difference: only space depends on it. */
  private static void requireSame(
      TableSpec table, TableDescription description, Optional<String> expiry) {
    List<String> differences = new ArrayList<>(TableDescriptions.differences(table, description));
    String wanted = table.expiryAttribute();
    expiry
        .filter(attribute -> !attribute.equals(wanted))
        .map(attribute -> "time to live is on %s, not on attribute %s".formatted(attribute, wanted))
        .ifPresent(differences::add);
    if (!differences.isEmpty()) {
      throw new ItemStoreException.Permanent(
          "table %s is not the one the view needs: %s; %s, or give the view another table"
              .formatted(
                  table.name(),
                  String.join("; ", differences),
                  TableDescriptions.lacksOnlyIndexes(table, description)
                      ? "add what is missing"
                      : "remove it"),
          null);
    }
  }

  /** The table, if this created it. */
  private Optional<TableDescription> create(TableSpec table) {
    // Creation times are given in whole milliseconds: one of this very millisecond is not earlier.
    Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    try {
      TableDescription created =
          client
              .createTable(TableDescriptions.createRequest(table, newTables))
              .get()
              .tableDescription();
      LOGGER.info("Created table {} with {} indexes", table.name(), table.indexes().size());
      return Optional.of(created);
    } catch (InterruptedException e) {
      throw interrupted(table.name(), e);
    } catch (Exception e) {
      if (!(AwsErrors.unwrap(e) instanceof ResourceInUseException inUse)) {
        throw failures.apply(table.name(), e);
      }
      LOGGER.debug("Table {} is there meanwhile", table.name());
      return isRepeated(inUse) ? createdUnheard(table, start) : Optional.empty();
    }
  }

  private static boolean isRepeated(ResourceInUseException inUse) {
    return inUse.numAttempts() != null && inUse.numAttempts() > 1;
  }

  /** An attempt whose answer was lost may have created the table; an older one is another's. */
  private Optional<TableDescription> createdUnheard(TableSpec table, Instant start) {
    return describe(table.name())
        .filter(found -> TableDescriptions.differences(table, found).isEmpty())
        .filter(
            found -> found.creationDateTime() != null && !found.creationDateTime().isBefore(start));
  }

  boolean delete(String table, String identity, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    Optional<TableDescription> found = describe(table);
    while (found.isPresent()) {
      if (!identity.equals(TableDescriptions.identity(found.get()))) {
        LOGGER.info("Table {} is another one now, and is left", table);
        return false;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new ItemStoreException.Unavailable(
            "table %s: not deleted yet".formatted(table), null);
      }
      requestDeletion(table);
      pause(table);
      found = describe(table);
    }
    return true;
  }

  private void requestDeletion(String table) {
    try {
      client.deleteTable(r -> r.tableName(table)).get();
      LOGGER.info("Deleted table {}", table);
    } catch (InterruptedException e) {
      throw interrupted(table, e);
    } catch (Exception e) {
      Throwable cause = AwsErrors.unwrap(e);
      // In use: on its way already, or busy with something that ends.
      if (!(cause instanceof ResourceNotFoundException
          || cause instanceof ResourceInUseException)) {
        throw failures.apply(table, e);
      }
      LOGGER.debug("Table {} is not deleted by this request", table, cause);
    }
  }

  private TableDescription awaitUsable(TableSpec table, long deadline) {
    while (true) {
      Optional<TableDescription> description = describe(table.name());
      if (description.isPresent() && TableDescriptions.isUsable(table, description.get())) {
        return description.get();
      }
      if (System.nanoTime() - deadline > 0) {
        throw notUsable(table, description);
      }
      pause(table.name());
    }
  }

  private static ItemStoreException notUsable(
      TableSpec table, Optional<TableDescription> description) {
    return new ItemStoreException.Unavailable(
        "table %s: not to be used yet; %s"
            .formatted(
                table.name(), description.map(TableDescriptions::status).orElse("it is missing")),
        null);
  }

  private void switchExpiryOn(TableSpec table) {
    try {
      client
          .updateTimeToLive(
              r ->
                  r.tableName(table.name())
                      .timeToLiveSpecification(
                          t -> t.enabled(true).attributeName(table.expiryAttribute())))
          .get();
    } catch (InterruptedException e) {
      throw interrupted(table.name(), e);
    } catch (Exception e) {
      ItemStoreException failure = failures.apply(table.name(), e);
      // Another task may have been quicker: the store then calls the request invalid.
      if (!(failure instanceof ItemStoreException.Rejected && expiry(table).isPresent())) {
        throw failure;
      }
    }
  }

  /**
   * The attribute that time to live is on; empty if it is off, or none is wanted. Who may not read
   * it has to take it for the wanted one.
   */
  private Optional<String> expiry(TableSpec table) {
    if (table.expiryAttribute() == null) {
      return Optional.empty();
    }
    try {
      TimeToLiveDescription current =
          client.describeTimeToLive(r -> r.tableName(table.name())).get().timeToLiveDescription();
      boolean on =
          current != null
              && (current.timeToLiveStatus() == TimeToLiveStatus.ENABLED
                  || current.timeToLiveStatus() == TimeToLiveStatus.ENABLING);
      return on ? Optional.of(current.attributeName()) : Optional.empty();
    } catch (InterruptedException e) {
      throw interrupted(table.name(), e);
    } catch (Exception e) {
      if (ErrorClassifier.isDenied(e)) {
        LOGGER.warn(
            "Table {}: whether time to live is on for attribute {} cannot be read; allow dynamodb:DescribeTimeToLive. Without time to live items that expire, such as tombstones of deleted rows, stay for ever: {}",
            table.name(),
            table.expiryAttribute(),
            AwsErrors.unwrap(e).getMessage());
        return Optional.of(table.expiryAttribute());
      }
      throw failures.apply(table.name(), e);
    }
  }

  private static void pause(String table) {
    try {
      new CompletableFuture<Void>()
          .completeOnTimeout(null, POLL_INTERVAL_MS, TimeUnit.MILLISECONDS)
          .get();
    } catch (InterruptedException e) {
      throw interrupted(table, e);
    } catch (Exception e) {
      throw ErrorClassifier.classify(table, e);
    }
  }

  private static ItemStoreException interrupted(String table, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ItemStoreException.Unavailable(
        "table %s: interrupted while waiting".formatted(table), e);
  }
}
