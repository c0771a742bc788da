package io.indexview.benchmarks.dynamodb;

import io.indexview.connect.common.row.StructFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/** A loop of puts, several in flight, of requests that are ready made. */
final class RawPuts implements AutoCloseable {
  private final DynamoDbAsyncClient client;
  private final int inFlight;

  /**
   * @param client is closed with this
   */
  RawPuts(DynamoDbAsyncClient client, int inFlight) {
    this.client = client;
    this.inFlight = inFlight;
  }

  /** What the sink would put for records of one generation, without a condition. */
  static List<PutItemRequest> bare(
      ViewGeneration generation, List<SinkRecord> records, long revision) {
    DynamoDbLayout layout = DynamoDbLayout.of(generation);
    return records.stream().map(record -> request(layout, record, revision)).toList();
  }

  /** The same puts, each held off by an item of a higher revision. */
  static List<PutItemRequest> fenced(List<PutItemRequest> requests) {
    return requests.stream()
        .map(
            request ->
                request.toBuilder()
                    .conditionExpression("attribute_not_exists(#a) OR #a <= :a")
                    .expressionAttributeNames(Map.of("#a", DynamoDbLayout.VERSION))
                    .expressionAttributeValues(
                        Map.of(":a", request.item().get(DynamoDbLayout.VERSION)))
                    .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                    .build())
        .toList();
  }

  private static PutItemRequest request(DynamoDbLayout layout, SinkRecord record, long revision) {
    Struct key = (Struct) record.key();
    Map<String, AttributeValue> item = new HashMap<>();
    layout
        .item(key::get, StructFields.of((Struct) record.value()), revision)
        .forEach((name, value) -> item.put(name, attribute(value)));
    return PutItemRequest.builder().tableName(layout.table().name()).item(item).build();
  }

  private static AttributeValue attribute(Object value) {
    return value instanceof Number
        ? AttributeValue.fromN(value.toString())
        : AttributeValue.fromS(value.toString());
  }

  /** Puts all; returns how many. */
  long write(List<PutItemRequest> requests) throws InterruptedException {
    Semaphore free = new Semaphore(inFlight);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (PutItemRequest request : requests) {
      free.acquire();
      client
          .putItem(request)
          .whenComplete(
              (done, thrown) -> {
                failure.compareAndSet(null, thrown);
                free.release();
              });
    }
    free.acquire(inFlight);
    if (failure.get() != null) {
      throw new IllegalStateException("a put failed", failure.get());
    }
    return requests.size();
  }

  @Override
  public void close() {
    client.close();
  }
}
