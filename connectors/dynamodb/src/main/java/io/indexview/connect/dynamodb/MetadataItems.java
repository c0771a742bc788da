package io.indexview.connect.dynamodb;

import io.indexview.connect.common.metadata.MetadataStore;
import io.indexview.connect.common.metadata.MetadataStore.MetadataLocation;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.connect.errors.DataException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Metadata in DynamoDB: one item per view in a table of the installation. */
final class MetadataItems implements MetadataStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(MetadataItems.class);

  private final ItemStore store;
  private final MetadataTable table;
  private final Consumer<ViewGeneration> tables;

  /**
   * @param tables makes the table of a generation ready
   */
  MetadataItems(ItemStore store, MetadataTable table, Consumer<ViewGeneration> tables) {
    this.store = store;
    this.table = table;
    this.tables = tables;
  }

  @Override
  public Optional<MetadataLocation> location(ViewMetadata metadata) {
    return Optional.of(item(metadata.view()));
  }

  @Override
  public Optional<MetadataLocation> location(ViewGeneration generation) {
    return table.isThere() ? Optional.of(new Item(generation.view())) : Optional.empty();
  }

  @Override
  public List<MetadataLocation> find(String view) {
    return List.of(item(view));
  }

  private MetadataLocation item(String view) {
    table.ready();
    return new Item(view);
  }

  /**
   * A view without rows is read like any other, so the table that serves has to be usable. One that
   * is built serves nobody yet: it is made early, but the states of all views need not wait for it,
   * nor for a table that somebody has to make.
   */
  @Override
  public void prepare(ViewMetadata metadata) {
    for (ViewMetadata.Generation each : metadata.generations()) {
      if (each.role() == Role.SERVING) {
        prepareServing(each.generation());
      } else if (each.role() == Role.BUILDING) {
        prepareEarly(each.generation());
      }
    }
  }

  private void prepareServing(ViewGeneration generation) {
    try {
      tables.accept(generation);
    } catch (ItemStoreException.NoTable e) {
      LOGGER.warn(
          "View {} generation {} serves without a table, so readers find none of its rows; rebuild the view: {}",
          generation.view(),
          generation.number(),
          e.getMessage());
    }
  }

  private void prepareEarly(ViewGeneration generation) {
    try {
      tables.accept(generation);
    } catch (ItemStoreException.Unavailable | ItemStoreException.NoTable e) {
      LOGGER.info(
          "View {} generation {}: {}", generation.view(), generation.number(), e.getMessage());
    }
  }

  /** Whether the rows of a generation are to be removed: nobody reads them again. */
  boolean isRetired(ViewGeneration generation) {
    return table.isThere()
        && new Item(generation.view())
            .read()
            .metadata()
            .filter(metadata -> !metadata.isForeignTo(generation))
            .filter(
                metadata ->
                    metadata.state() == ViewState.State.DELETING
                        || metadata.generations().stream()
                            .filter(each -> each.role() == Role.RETIRING)
                            .anyMatch(each -> each.generation().number() == generation.number()))
            .isPresent();
  }

  /** Whether rows of another generation of the view are in the same table. For any thread. */
  boolean isShared(ViewGeneration generation) {
    return table.isThere()
        && new Item(generation.view())
            .read().metadata().stream()
                .flatMap(metadata -> metadata.generations().stream())
                .map(ViewMetadata.Generation::generation)
                .anyMatch(
                    other ->
                        other.number() != generation.number()
                            && other.storeName().equals(generation.storeName()));
  }

  private static Long version(Map<String, Object> item) {
    return item.get(ViewMetadata.DYNAMODB_VERSION) instanceof Number number
        ? Long.valueOf(number.longValue())
        : null;
  }

  private final class Item implements MetadataLocation {
    private final String view;

    private Item(String view) {
      this.view = view;
    }

    @Override
    public String name() {
      return ViewMetadata.dynamoDbKey(view);
    }

    @Override
    public Content read() {
      return new Read(name(), table.get(name()));
    }

    @Override
    public long floor() {
      return table
          .get(ViewMetadata.dynamoDbHistoryKey(view))
          .map(MetadataItems::version)
          .orElse(0L);
    }

    @Override
    public String floorName() {
      return "item %s of table %s".formatted(ViewMetadata.dynamoDbHistoryKey(view), table.name());
    }

    @Override
    public void raiseFloor(long version) {
      String id = ViewMetadata.dynamoDbHistoryKey(view);
      Map<String, Object> item =
          Map.of(ViewMetadata.DYNAMODB_KEY, id, ViewMetadata.DYNAMODB_VERSION, version);
      ItemStore.await(
          store.put(
              table.name(),
              new ItemWrite.Put(MetadataTable.key(id), item),
              new Fence(ViewMetadata.DYNAMODB_VERSION, version)));
    }
  }

  private final class Read implements MetadataLocation.Content {
    private final String id;
    private final Optional<ViewMetadata> metadata;
    private final Expected asRead;

    private Read(String id, Optional<Map<String, Object>> item) {
      this.id = id;
      this.metadata = item.map(found -> parse(id, found));
      this.asRead =
          new Expected(
              ViewMetadata.DYNAMODB_VERSION, item.map(MetadataItems::version).orElse(null));
    }

    private ViewMetadata parse(String item, Map<String, Object> attributes) {
      try {
        return ViewMetadata.fromItem(attributes);
      } catch (IllegalArgumentException e) {
        throw new DataException(
            "item %s of table %s cannot be read: %s; upgrade this connector, or remove the item if it is none of Indexview's"
                .formatted(item, table.name(), e.getMessage()),
            e);
      }
    }

    @Override
    public Optional<ViewMetadata> metadata() {
      return metadata;
    }

    @Override
    public boolean replace(ViewMetadata next) {
      return ItemStore.await(
              store.put(
                  table.name(), new ItemWrite.Put(MetadataTable.key(id), next.toItem()), asRead))
          .applied();
    }

    @Override
    public boolean remove() {
      return ItemStore.await(store.delete(table.name(), MetadataTable.key(id), asRead)).applied();
    }
  }
}
