package io.indexview.connect.dynamodb;

import static io.indexview.connect.dynamodb.DynamoDbSinkConnectorTest.READY;
import static io.indexview.connect.dynamodb.DynamoDbSinkConnectorTest.errors;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a connector is told of the tables that it does not create itself. */
class DynamoDbSinkPreflightIT {
  private static final boolean DISABLE_TELEMETRY = true;

  private final AmazonDynamoDBLocal local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
  private final ItemStore tables = DynamoDbItemStore.over(local.dynamoDbAsyncClient());
  private final DynamoDbSinkConnector strict =
      new DynamoDbSinkConnector(config -> new FaultyItemStore(tables));

  @AfterEach
  void stop() {
    tables.close();
    local.shutdown();
  }

  @Test
  void saysWhichTableIsMissingWhenItIsNotToCreateIt() {
    Map<String, String> properties = new HashMap<>(READY);
    properties.put("topic.prefix", "prod");

    assertThat(errors(strict.validate(properties)).get("dynamodb.auto.create"))
        .contains("table prod-views: not there", "partition key is id (S)");
    tables.ensureTable(MetadataTable.spec(new Topics("prod")), Duration.ofSeconds(10));
    assertThat(errors(strict.validate(properties))).isEmpty();
  }

  @Test
  void saysOfEachKnownViewHowItsTableDiffers() {
    TableSpec metadata = MetadataTable.spec(new Topics("indexview"));
    ViewGeneration served = view("by-org", "orgs", 1);
    ViewGeneration built = view("by-org", "orgs", 2);
    ViewGeneration other = view("by-city", "cities", 1);
    tables.ensureTable(metadata, Duration.ofSeconds(10));
    ItemStore.await(tables.put(metadata.name(), Map.of("id", "table#orgs", "identity", "x")));
    ItemStore.await(tables.put(metadata.name(), Map.of("id", "view#broken")));
    putMetadata(Map.of(served, Role.SERVING, built, Role.BUILDING));
    putMetadata(Map.of(other, Role.SERVING));
    tables.ensureTable(
        new TableSpec(
            "orgs", new TableSpec.Key("org", TableSpec.KeyType.NUMBER), null, List.of(), null),
        Duration.ofSeconds(10));
    tables.ensureTable(GenerationTables.spec(other, WriteMode.CONDITIONAL), Duration.ofSeconds(10));
    assertThat(errors(strict.validate(READY)).get("dynamodb.auto.create"))
        .contains("table orgs is not the one", "view by-org, generation 1 is in it")
        .contains("table orgs-g2: not there", "generation 2 is in it. Or set")
        .doesNotContain("cities", "generation 1 is in it. Or set");
  }

  @Test
  void takesAConnectorThoughItMayNotLookForTheViews() {
    tables.ensureTable(MetadataTable.spec(new Topics("indexview")), Duration.ofSeconds(10));
    FaultyItemStore denying = new FaultyItemStore(tables);
    denying.beforeScan(
        () -> {
          throw new ItemStoreException.Permanent("denied", null);
        });
    DynamoDbSinkConnector denied = new DynamoDbSinkConnector(config -> denying);

    assertThat(errors(denied.validate(READY))).isEmpty();
  }

  private static ViewGeneration view(String view, String table, int number) {
    return ViewStates.generation(view, "key: [org]\ntarget: dynamodb\ntable: " + table, number);
  }

  private void putMetadata(Map<ViewGeneration, Role> generations) {
    String view = generations.keySet().iterator().next().view();
    ViewMetadata metadata =
        ViewMetadata.of(ViewStates.state(view, 1, ViewState.State.READY, generations));
    ItemStore.await(tables.put("indexview-views", metadata.toItem()));
  }
}
