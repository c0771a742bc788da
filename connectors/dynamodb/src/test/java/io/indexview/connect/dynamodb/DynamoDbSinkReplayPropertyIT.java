package io.indexview.connect.dynamodb;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.connect.common.metadata.MetadataStore;
import io.indexview.connect.common.metadata.ReplaySimulation;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.schemas.Topics;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.layout.ViewMetadata;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class DynamoDbSinkReplayPropertyIT {
  private static final boolean DISABLE_TELEMETRY = true;
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  private static AmazonDynamoDBLocal local;
  private static ItemStore store;
  private static int tries;

  @BeforeContainer
  static void startStore() {
    local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
    store = DynamoDbItemStore.over(local.dynamoDbAsyncClient());
  }

  @AfterContainer
  static void stopStore() {
    store.close();
    local.shutdown();
  }

  @Property(tries = 5)
  void neverServesWhatIsBeingRemovedAndEndsWithTheNewestState(
      @ForAll(supplier = Seeds.class) long seed) {
    String view = "v" + tries++;
    List<String> definitions =
        List.of(
            "key: [org]\ntarget: dynamodb\ntable: people",
            "key: [org, cost]\ntarget: dynamodb\ntable: people");

    ReplaySimulation.run(target(view), "dynamodb", view, definitions, 25, seed);
  }

  private static ReplaySimulation.Target target(String view) {
    return new ReplaySimulation.Target() {
      @Override
      public MetadataStore open(Runnable before) {
        ItemStore observed = observed(before);
        return new MetadataItems(
            observed, new MetadataTable(observed, TOPICS, true), generation -> {});
      }

      @Override
      public Collection<ViewMetadata> stored() {
        Map<String, String> key = Map.of("id", ViewMetadata.dynamoDbKey(view));
        return store.describe("indexview-views").isEmpty()
            ? List.of()
            : store.get("indexview-views", key).map(ViewMetadata::fromItem).stream().toList();
      }
    };
  }

  private static ItemStore observed(Runnable before) {
    return (ItemStore)
        Proxy.newProxyInstance(
            ItemStore.class.getClassLoader(),
            new Class<?>[] {ItemStore.class},
            (proxy, method, arguments) -> {
              before.run();
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
