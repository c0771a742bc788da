package io.indexview.verification;

import io.indexview.client.admin.KnownViews;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.ItemSize;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import io.indexview.views.layout.ViewMetadata;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.avro.generic.GenericRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of one view generation in DynamoDB. The id of a row is a JSON array of its key
 * attributes, numbers as text.
 */
public final class DynamoDbRows implements TargetReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(DynamoDbRows.class);
  private static final int PAGE = 500;

  /** Bytes that one read unit pays for in a strongly consistent read of one item. */
  private static final double BYTES_PER_READ_UNIT = 4 << 10;

  private final ItemStore store;
  private final DynamoDbLayout layout;
  private final TombstoneRetention retention;

  /** Where sinks keep tombstones for as long as by default. */
  public DynamoDbRows(ItemStore store, ViewGeneration generation) {
    this(store, generation, TombstoneRetention.DEFAULT);
  }

  public DynamoDbRows(ItemStore store, ViewGeneration generation, TombstoneRetention retention) {
    this.store = store;
    this.layout = DynamoDbLayout.of(generation);
    this.retention = retention;
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long revision) {
    Map<String, Object> item = layout.item(key::get, value::get, revision);
    return row(item, layout.row(item));
  }

  @Override
  public String id(GenericRecord key) {
    return layout.id(layout.key(key::get));
  }

  @Override
  public void scan(Visitor visitor) {
    scan(visitor, null, position -> {});
  }

  /** A position is the id of the item before it. */
  @Override
  public void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample) {
    scan(visitor, from.map(layout::keyOf).orElse(null), visitor::reached);
  }

  private void scan(Visitor visitor, Map<String, Object> from, Consumer<String> reached) {
    Map<String, Object> start = from;
    Instant began = retention.now();
    do {
      ItemPage page = store.scan(layout.table().name(), start, PAGE);
      visitor.consumed(page.items().stream().mapToLong(ItemSize::of).sum(), page.readUnits());
      page.items().forEach(item -> visit(item, began, visitor));
      start = page.next();
      if (start != null) {
        reached.accept(layout.id(start));
      }
    } while (start != null);
  }

  private void visit(Map<String, Object> item, Instant began, Visitor visitor) {
    StoredRow row;
    try {
      row = stored(item);
    } catch (LayoutException e) {
      visitor.unexpected(layout.id(item), kind(item), e.getMessage(), DynamoDbLayout.content(item));
      return;
    }
    if (row.deleted()) {
      String id = layout.id(item);
      overdue(item, row, began)
          .ifPresentOrElse(
              reason -> visitor.expiredTombstone(id, reason), () -> visitor.tombstone(id));
    } else {
      visitor.row(row(item, row));
    }
  }

  /** Why a tombstone should be gone; empty: it may stay. */
  private Optional<String> overdue(Map<String, Object> item, StoredRow tombstone, Instant at) {
    return item.get(DynamoDbLayout.EXPIRES_AT) instanceof Number expiresAt
        ? retention.overdue(expiresAt, at)
        : retention
            .overdue(tombstone.revision().orElseThrow(), at)
            .map(reason -> reason + "; without a time to live nobody removes it");
  }

  /** Kind of an item that is no row. */
  private Kind kind(Map<String, Object> item) {
    if (!item.containsKey(DynamoDbLayout.REVISION)) {
      return Kind.UNVERSIONED;
    }
    return layout.holds(item) ? Kind.UNDECODABLE : Kind.OTHER_GENERATION;
  }

  private StoredRow stored(Map<String, Object> item) {
    if (!layout.holds(item)) {
      throw new LayoutException(
          "an item of generation %s".formatted(item.get(DynamoDbLayout.GENERATION)));
    }
    return layout.row(item);
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    try {
      return get(id, meter)
          .filter(item -> !stored(item).deleted())
          .map(item -> row(item, layout.row(item)));
    } catch (LayoutException e) {
      // Something else lies in the row's place.
      return Optional.empty();
    }
  }

  @Override
  public Optional<byte[]> unexpected(String id, Meter meter) {
    Instant began = retention.now();
    return get(id, meter).filter(item -> isUnexpected(item, began)).map(DynamoDbLayout::content);
  }

  @Override
  public List<NotLookedFor> notLookedFor() {
    return List.of(
        new NotLookedFor(Kind.ORPHANED_ROWS, "the name of a table does not tell whose it is"));
  }

  @Override
  public void orphaned(KnownViews known, Predicate<Orphaned> visitor, Meter meter) {
    try {
      Map<String, Object> start = null;
      boolean goesOn;
      do {
        ItemPage page = store.scan(known.metadataTable(), start, PAGE);
        meter.consumed(page.items().stream().mapToLong(ItemSize::of).sum(), page.readUnits());
        goesOn =
            page.items().stream().flatMap(item -> orphaned(item, known).stream()).allMatch(visitor);
        start = page.next();
      } while (start != null && goesOn);
    } catch (ItemStoreException.NoTable e) {
      LOGGER.debug("No view has metadata: {}", e.getMessage());
    }
  }

  private static Optional<Orphaned> orphaned(Map<String, Object> item, KnownViews known) {
    String id = String.valueOf(item.get(ViewMetadata.DYNAMODB_KEY));
    String view = ViewMetadata.dynamoDbKey("");
    return Optional.of(id)
        .filter(key -> key.startsWith(view))
        .flatMap(
            key ->
                known.disowns(
                    key.substring(view.length()),
                    String.valueOf(item.get(ViewMetadata.DYNAMODB_DOCUMENT))))
        .map(
            reason ->
                new Orphaned(
                    Kind.ORPHANED_METADATA,
                    id,
                    "in table %s: %s".formatted(known.metadataTable(), reason)));
  }

  private boolean isUnexpected(Map<String, Object> item, Instant began) {
    try {
      StoredRow row = stored(item);
      return row.deleted() && overdue(item, row, began).isPresent();
    } catch (LayoutException e) {
      return true;
    }
  }

  private Optional<Map<String, Object>> get(String id, Meter meter) {
    Optional<Map<String, Object>> found = store.get(layout.table().name(), layout.keyOf(id));
    long bytes = found.map(ItemSize::of).orElse(0L);
    meter.consumed(bytes, Math.max(1, Math.ceil(bytes / BYTES_PER_READ_UNIT)));
    return found;
  }

  @Override
  public OptionalLong revision(String id, Meter meter) {
    return get(id, meter).map(item -> item.get(DynamoDbLayout.REVISION)).stream()
        .filter(Number.class::isInstance)
        .mapToLong(revision -> ((Number) revision).longValue())
        .findFirst();
  }

  private Row row(Map<String, Object> item, StoredRow stored) {
    return new Row(
        layout.id(item), stored.primaryKey(), stored.key(), stored.values(), stored.revision());
  }
}
