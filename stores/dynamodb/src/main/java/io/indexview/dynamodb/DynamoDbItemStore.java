package io.indexview.dynamodb;

import io.indexview.aws.AwsAccess;
import io.indexview.aws.AwsErrors;
import io.indexview.dynamodb.ItemStore.BatchResult;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStore.WriteResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryUtils;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** {@link ItemStore} on DynamoDB, or anything that speaks its API. */
public final class DynamoDbItemStore implements ItemStore {
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

  private final DynamoDbAsyncClient client;
  private final TableAdmin tables;

  /**
   * Whether the store ever answered. Since then missing credentials count as an outage: whoever
   * hands them out may be down.
   */
  private volatile boolean answered;

  private DynamoDbItemStore(DynamoDbAsyncClient client, NewTables newTables) {
    this.client = client;
    this.tables = new TableAdmin(client, newTables, this::failure);
  }

  /** Opens a store that repeats what is throttled for a while; nothing is sent yet. */
  public static DynamoDbItemStore open(DynamoDbSettings settings) {
    return open(settings, NewTables.PLAIN);
  }

  /** Opens a store like {@link #open(DynamoDbSettings)}, with the given options for new tables. */
  public static DynamoDbItemStore open(DynamoDbSettings settings, NewTables newTables) {
    return over(builder(settings).build(), newTables);
  }

  /** Opens a store for those who slow down: what is throttled fails at once. */
  public static DynamoDbItemStore openFailingFast(DynamoDbSettings settings) {
    return over(
        builder(settings)
            .overrideConfiguration(timeouts().retryStrategy(FailFastRetries.strategy()).build())
            .build());
  }

  private static ClientOverrideConfiguration.Builder timeouts() {
    return ClientOverrideConfiguration.builder()
        .apiCallAttemptTimeout(ATTEMPT_TIMEOUT)
        .apiCallTimeout(CALL_TIMEOUT);
  }

  private static DynamoDbAsyncClientBuilder builder(DynamoDbSettings settings) {
    return settings
        .access()
        .configure(DynamoDbAsyncClient.builder())
        .httpClientBuilder(AwsAccess.http(settings.maxConnections()))
        .overrideConfiguration(timeouts().build());
  }

  /** A store on a client that it closes. */
  public static DynamoDbItemStore over(DynamoDbAsyncClient client) {
    return over(client, NewTables.PLAIN);
  }

  /** Creates a store on a client that it closes, with the given options for new tables. */
  public static DynamoDbItemStore over(DynamoDbAsyncClient client, NewTables newTables) {
    return new DynamoDbItemStore(client, newTables);
  }

  @Override
  public Optional<TableSpec> describe(String table) {
    return tables.describe(table).map(TableDescriptions::toSpec);
  }

  @Override
  public Optional<String> identity(String table) {
    return tables.describe(table).flatMap(TableDescriptions::lastingIdentity);
  }

  @Override
  public void ensureTable(TableSpec table, Duration timeout, Consumer<String> created) {
    tables.ensure(table, timeout, created);
  }

  @Override
  public void checkTable(TableSpec table) {
    tables.check(table);
  }

  @Override
  public boolean deleteTable(String table, String identity, Duration timeout) {
    return tables.delete(table, identity, timeout);
  }

  @Override
  public CompletableFuture<Void> put(String table, Map<String, ?> item) {
    return send(
        table,
        () -> {
          Map<String, AttributeValue> attributes = AttributeValues.of(item);
          return client.putItem(r -> r.tableName(table).item(attributes));
        },
        (response, thrown) -> done(table, thrown));
  }

  @Override
  public CompletableFuture<Void> delete(String table, Map<String, ?> key) {
    return send(
        table,
        () -> {
          Map<String, AttributeValue> attributes = AttributeValues.of(key);
          return client.deleteItem(r -> r.tableName(table).key(attributes));
        },
        (response, thrown) -> done(table, thrown));
  }

  @Override
  public CompletableFuture<WriteResult> put(
      String table, ItemWrite.Put write, WriteCondition condition) {
    return conditional(
        table,
        write.key(),
        condition,
        PutItemResponse::consumedCapacity,
        () -> {
          Map<String, AttributeValue> attributes = AttributeValues.of(write.item());
          return client.putItem(
              r ->
                  r.tableName(table)
                      .item(attributes)
                      .conditionExpression(Expressions.condition(condition))
                      .expressionAttributeNames(Expressions.names(condition))
                      .expressionAttributeValues(Expressions.values(condition))
                      .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                      .returnValuesOnConditionCheckFailure(
                          ReturnValuesOnConditionCheckFailure.ALL_OLD));
        });
  }

  @Override
  public CompletableFuture<WriteResult> delete(
      String table, Map<String, ?> key, WriteCondition condition) {
    return conditional(
        table,
        key,
        condition,
        DeleteItemResponse::consumedCapacity,
        () -> {
          Map<String, AttributeValue> attributes = AttributeValues.of(key);
          return client.deleteItem(
              r ->
                  r.tableName(table)
                      .key(attributes)
                      .conditionExpression(Expressions.condition(condition))
                      .expressionAttributeNames(Expressions.names(condition))
                      .expressionAttributeValues(Expressions.values(condition))
                      .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                      .returnValuesOnConditionCheckFailure(
                          ReturnValuesOnConditionCheckFailure.ALL_OLD));
        });
  }

  private Void done(String table, Throwable thrown) {
    rethrow(table, thrown);
    return null;
  }

  private <A> CompletableFuture<WriteResult> conditional(
      String table,
      Map<String, ?> key,
      WriteCondition condition,
      Function<A, ConsumedCapacity> consumed,
      Request<A> request) {
    BiFunction<A, Throwable, CompletableFuture<WriteResult>> answer =
        (response, thrown) -> {
          if (thrown != null
              && AwsErrors.unwrap(thrown) instanceof ConditionalCheckFailedException refusal) {
            return new Refusals(table, key, condition).result(refusal, () -> find(table, key));
          }
          rethrow(table, thrown);
          return CompletableFuture.completedFuture(
              WriteResult.applied(units(consumed.apply(response))));
        };
    return send(table, request, answer).thenCompose(Function.identity());
  }

  private static double units(ConsumedCapacity consumed) {
    return consumed == null || consumed.capacityUnits() == null ? 0 : consumed.capacityUnits();
  }

  @Override
  public CompletableFuture<BatchResult> writeBatch(String table, List<ItemWrite> writes) {
    return send(
        table,
        () -> {
          List<WriteRequest> requests = writes.stream().map(Batches::request).toList();
          return client.batchWriteItem(
              r ->
                  r.requestItems(Map.of(table, requests))
                      .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
        },
        (response, thrown) -> {
          rethrow(table, thrown);
          return new BatchResult(
              Batches.unprocessed(
                  table, writes, response.unprocessedItems().getOrDefault(table, List.of())),
              response.consumedCapacity().stream().mapToDouble(DynamoDbItemStore::units).sum());
        });
  }

  @Override
  public Optional<Map<String, Object>> get(String table, Map<String, ?> key) {
    return ItemStore.await(find(table, key));
  }

  private CompletableFuture<Optional<Map<String, Object>>> find(String table, Map<String, ?> key) {
    return send(
        table,
        () -> {
          Map<String, AttributeValue> attributes = AttributeValues.of(key);
          return client.getItem(r -> r.tableName(table).key(attributes).consistentRead(true));
        },
        (response, thrown) -> {
          rethrow(table, thrown);
          return response.hasItem()
              ? Optional.of(AttributeValues.toItem(response.item()))
              : Optional.empty();
        });
  }

  @Override
  public ItemPage query(ItemQuery query) {
    QueryResponse response =
        ItemStore.await(
            send(
                query.table(),
                () -> client.query(Expressions.query(query)),
                (answer, thrown) -> {
                  rethrow(query.table(), thrown);
                  return answer;
                }));
    return page(response.items(), response.lastEvaluatedKey(), 0);
  }

  @Override
  public ItemPage scan(String table, Map<String, ?> start, int limit) {
    ScanResponse response =
        ItemStore.await(
            send(
                table,
                () ->
                    client.scan(
                        r ->
                            r.tableName(table)
                                .consistentRead(true)
                                .limit(limit)
                                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                                .exclusiveStartKey(
                                    start == null ? null : AttributeValues.of(start))),
                (answer, thrown) -> {
                  rethrow(table, thrown);
                  return answer;
                }));
    return page(response.items(), response.lastEvaluatedKey(), units(response.consumedCapacity()));
  }

  private static ItemPage page(
      List<Map<String, AttributeValue>> items, Map<String, AttributeValue> last, double readUnits) {
    return new ItemPage(
        items.stream().map(AttributeValues::toItem).toList(),
        last.isEmpty() ? null : AttributeValues.toItem(last),
        readUnits);
  }

  @Override
  public void close() {
    client.close();
  }

  /** Sends, and turns both ways to fail, before and after sending, into the future's failure. */
  private <A, R> CompletableFuture<R> send(
      String table, Request<A> request, BiFunction<A, Throwable, R> answer) {
    try {
      return request.send().handle(answer);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(failure(table, e));
    }
  }

  private void rethrow(String table, Throwable thrown) {
    if (thrown != null) {
      throw failure(table, thrown);
    }
    answered = true;
  }

  private ItemStoreException failure(String table, Throwable thrown) {
    return ErrorClassifier.classify(table, thrown, answered);
  }

  @FunctionalInterface
  private interface Request<A> {
    CompletableFuture<A> send();
  }

  /**
   * What the SDK itself sends again: faults of the network and the service, a few times. A
   * throttled request is none of these: who is to slow down has to hear of it.
   */
  static final class FailFastRetries {
    private FailFastRetries() {}

    static StandardRetryStrategy strategy() {
      return DefaultRetryStrategy.standardStrategyBuilder()
          .useClientDefaults(false)
          .retryOnException(FailFastRetries::isRepeated)
          .build();
    }

    static boolean isRepeated(Throwable thrown) {
      Throwable cause = AwsErrors.unwrap(thrown);
      if (cause instanceof SdkException failure) {
        if (RetryUtils.isThrottlingException(failure)) {
          return false;
        }
        if (RetryUtils.isServiceException(failure)) {
          return RetryUtils.toServiceException(failure).statusCode() >= 500
              || RetryUtils.isRetryableException(failure)
              || RetryUtils.isClockSkewException(failure);
        }
      }
      return AwsErrors.isNetworkFault(cause);
    }
  }

  /**
   * Reads the refusals of one conditional write. DynamoDB Local, with many requests at a time, was
   * seen to refuse a write with another key's item; taken at its word that loses a row. Other
   * stores of the same API name no item at all.
   */
  private record Refusals(String table, Map<String, ?> key, WriteCondition condition) {

    /**
     * What a refusal says, or else the item that is there. Completes with {@link
     * ItemStoreException.Unavailable} if that allows the write.
     *
     * @param read reads the item of the write's key, consistently
     */
    CompletableFuture<WriteResult> result(
        ConditionalCheckFailedException refusal,
        Supplier<CompletableFuture<Optional<Map<String, Object>>>> read) {
      Map<String, Object> named = AttributeValues.toItem(refusal.item());
      return hasKey(named)
          ? CompletableFuture.completedFuture(heldOffBy(named, refusal))
          : read.get().thenApply(own -> heldOffBy(own.orElse(Map.of()), refusal));
    }

    private WriteResult heldOffBy(
        Map<String, Object> existing, ConditionalCheckFailedException refusal) {
      if (condition.holds(existing)) {
        throw new ItemStoreException.Unavailable(
            "table %s: the store refused a write by its condition, but there is %s"
                .formatted(table, existing.isEmpty() ? "no item" : "an item that allows it"),
            refusal);
      }
      return WriteResult.heldOffBy(existing);
    }

    private boolean hasKey(Map<String, Object> item) {
      return AttributeValues.toItem(AttributeValues.of(key)).entrySet().stream()
          .allMatch(attribute -> isSame(attribute.getValue(), item.get(attribute.getKey())));
    }

    private static boolean isSame(Object value, Object other) {
      if (value instanceof BigDecimal number) {
        return other instanceof BigDecimal second && number.compareTo(second) == 0;
      }
      if (value instanceof byte[] bytes) {
        return other instanceof byte[] second && Arrays.equals(bytes, second);
      }
      return value.equals(other);
    }
  }
}
