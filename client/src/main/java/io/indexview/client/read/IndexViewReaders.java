package io.indexview.client.read;

import io.indexview.client.admin.PublishedValues;
import io.indexview.client.admin.TargetStates;
import io.indexview.client.read.dynamodb.DynamoDbTarget;
import io.indexview.client.read.kv.KvTarget;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.client.read.target.ViewTarget.UnreadableMetadataException;
import io.indexview.client.token.FreshnessGate;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Readers of the targets there are. Those of one instance, and what looks at {@link #states}, know
 * the same of the views: once they were seen to show a change, all of them know it.
 */
public final class IndexViewReaders {
  /** A target that is there answers in some milliseconds. */
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

  private final ReaderConfig config;
  private final Set<String> types;
  private final ViewTarget target;
  private final MetadataReads reads;

  private IndexViewReaders(Map<String, ViewTarget> targets, ReaderConfig config) {
    this.config = config;
    this.types = targets.keySet();
    this.target = new SeveralTargets(targets);
    this.reads = new MetadataReads(target, config);
  }

  /**
   * Readers of the views of these stores.
   *
   * @param kvStore null: none; stays the caller's to close
   * @param itemStore null: none; stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   */
  public static IndexViewReaders over(
      KvStore kvStore, ItemStore itemStore, Topics topics, ReaderConfig config) {
    Map<String, ViewTarget> targets = new HashMap<>();
    if (kvStore != null) {
      targets.put(
          Target.Kv.TYPE,
          new KvTarget(kvStore, config.metaPrefixes(), config.sortLimit(), config.time()));
    }
    if (itemStore != null) {
      targets.put(Target.DynamoDb.TYPE, new DynamoDbTarget(itemStore, topics, config.sortLimit()));
    }
    return new IndexViewReaders(targets, config);
  }

  /**
   * Reads the views that the KV store serves.
   *
   * @param store stays the caller's to close
   */
  public static IndexViewReader of(KvStore store, ReaderConfig config) {
    return over(store, null, null, config).reader();
  }

  /**
   * Reads the views that DynamoDB serves.
   *
   * @param store stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   */
  public static IndexViewReader of(ItemStore store, Topics topics, ReaderConfig config) {
    return over(null, store, topics, config).reader();
  }

  /**
   * Reads the views of both targets.
   *
   * @param kvStore stays the caller's to close
   * @param itemStore stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   */
  public static IndexViewReader of(
      KvStore kvStore, ItemStore itemStore, Topics topics, ReaderConfig config) {
    return over(kvStore, itemStore, topics, config).reader();
  }

  /** A reader as it was configured. */
  public IndexViewReader reader() {
    return new CheckedReader(target, reads, config);
  }

  /** A reader that waits for writes, too. */
  public IndexViewReader waitingWith(FreshnessGate gate) {
    return new CheckedReader(target, reads, config.waitingWith(gate));
  }

  /**
   * Reads what readers of these stores see, for {@link
   * io.indexview.client.admin.ViewAdmin#connect}.
   */
  public TargetStates states() {
    return new MetadataStates(reads, types, READ_TIMEOUT);
  }

  /**
   * Primary records in the KV store, for {@link ReaderConfig#fetchingFrom}, in whichever format the
   * sources read them.
   *
   * @param store stays the caller's to close
   * @param values as a {@link io.indexview.client.admin.SourceAdmin} gives them
   * @param registry whose ids values of the format {@code avro_registry} carry; stays the caller's
   *     to close
   */
  public static PrimaryRecords recordsIn(
      KvStore store, PublishedValues values, SchemaRegistry registry) {
    return new PrimaryRecords(store, recordSet -> values.of(recordSet.topic()), registry);
  }

  /**
   * Reads primary records without the cluster: of record sets in the format {@code avro}, written
   * with the schema that the view was defined with. Other values count as unreadable.
   *
   * @param store stays the caller's to close
   */
  public static PrimaryRecords avroRecordsIn(KvStore store) {
    return new PrimaryRecords(
        store, recordSet -> ValueConfig.of(ValueFormat.AVRO, recordSet.schema()), null);
  }

  /**
   * Several stores that serve views. A view lies in one of them, and in another one only after it
   * was dropped: the store that had it shows that first, for as long as its rows are there. So the
   * store that says READY is asked alone.
   */
  static final class SeveralTargets implements ViewTarget {
    private final Map<String, ViewTarget> targets;

    /** The type of the target that each view was READY in when it was last asked for. */
    private final Map<String, String> homes = new ConcurrentHashMap<>();

    /**
     * @param targets by their type, {@code kv} or {@code dynamodb}
     */
    public SeveralTargets(Map<String, ViewTarget> targets) {
      this.targets = Map.copyOf(targets);
    }

    @Override
    public Optional<ViewMetadata> metadata(String view) {
      String home = homes.get(view);
      Found known = home == null ? null : found(home, view);
      if (known != null && known.isReady()) {
        return Optional.of(known.metadata());
      }
      List<Found> all = new ArrayList<>();
      RuntimeException failure = null;
      for (String type : targets.keySet()) {
        try {
          Found found = type.equals(home) ? known : found(type, view);
          if (found != null) {
            all.add(found);
          }
        } catch (RuntimeException e) {
          // It is told unless another one says READY, which it could not change.
          failure = failure == null ? e : failure;
        }
      }
      Found newest = all.stream().reduce(SeveralTargets::newer).orElse(null);
      boolean isReady = newest != null && newest.isReady();
      if (failure != null && !isReady) {
        throw failure;
      }
      if (isReady) {
        homes.put(view, newest.type());
      } else {
        homes.remove(view);
      }
      return Optional.ofNullable(newest).map(Found::metadata);
    }

    /**
     * @throws UnreadableMetadataException if they are of two installations
     */
    private static Found newer(Found one, Found other) {
      if (!one.metadata().isOf(other.metadata().uid())) {
        throw UnreadableMetadataException.ofTwoInstallations(
            "target " + one.type(), "target " + other.type());
      }
      return one.version() >= other.version() ? one : other;
    }

    /** Null: there is none. */
    private Found found(String type, String view) {
      return targets
          .get(type)
          .metadata(view)
          .map(metadata -> new Found(type, metadata))
          .orElse(null);
    }

    private record Found(String type, ViewMetadata metadata) {
      boolean isReady() {
        return metadata.state() == ViewState.State.READY;
      }

      long version() {
        return metadata.version();
      }
    }

    @Override
    public Optional<History> history(ViewGeneration generation) {
      return Optional.ofNullable(targets.get(generation.definition().target().type()))
          .flatMap(target -> target.history(generation));
    }

    @Override
    public Optional<String> occupied(ViewGeneration generation) {
      return Optional.ofNullable(targets.get(generation.definition().target().type()))
          .flatMap(target -> target.occupied(generation));
    }

    @Override
    public Collection<String> views() {
      TreeSet<String> views = new TreeSet<>();
      targets.values().forEach(target -> views.addAll(target.views()));
      return views;
    }

    @Override
    public ViewRows rows(ViewGeneration generation) {
      String type = generation.definition().target().type();
      ViewTarget target = targets.get(type);
      if (target == null) {
        throw new LayoutException(
            "view \"%s\" is served by target %s; give this reader the store of that target"
                .formatted(generation.view(), type));
      }
      return target.rows(generation);
    }
  }
}
