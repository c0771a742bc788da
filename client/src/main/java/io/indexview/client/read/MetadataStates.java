package io.indexview.client.read;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.read.target.ViewTarget.UnreadableMetadataException;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks at the metadata that readers go by, on the same way as they. A target that is away holds up
 * nobody for long: those who ask for a view meanwhile share one poll.
 */
final class MetadataStates implements TargetStates {
  private static final Set<String> WITH_METADATA = Set.of(Target.Kv.TYPE, Target.DynamoDb.TYPE);

  private final MetadataReads reads;
  private final Set<String> types;
  private final Duration timeout;
  private final Map<String, CompletableFuture<Optional<ViewMetadata>>> polls =
      new ConcurrentHashMap<>();
  private final Executor executor = Executors.newCachedThreadPool(MetadataStates::thread);

  /**
   * @param types of the targets that can be looked at
   * @param timeout how long a poll is waited for
   */
  MetadataStates(MetadataReads reads, Set<String> types, Duration timeout) {
    this.reads = reads;
    this.types = Set.copyOf(types);
    this.timeout = timeout;
  }

  /**
   * Creates the polling thread. It ends by itself when nobody has looked for a while, and does not
   * keep the process alive.
   */
  private static Thread thread(Runnable polling) {
    Thread thread = new Thread(polling, "indexview-target-poll");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public Visibility visibility(ViewState state) {
    if (!WITH_METADATA.contains(state.target())) {
      return Visibility.unknown(
          "target %s keeps no state of the view that could be read".formatted(state.target()));
    }
    if (!types.contains(state.target())) {
      return NONE.visibility(state);
    }
    try {
      Optional<ViewMetadata> shown = poll(state.view());
      Optional<String> holdsOff = holdsOff(shown, state);
      if (holdsOff.isPresent()) {
        return Visibility.pending(
            "target %s takes no state of it, since %s".formatted(state.target(), holdsOff.get()));
      }
      return tells(shown, state)
          ? Visibility.SHOWN
          : Visibility.pending(
              "its sink (consumer group %s) has not written into target %s yet that it is %s; until then readers are refused or read what served before"
                  .formatted(state.sinkGroup(), state.target(), state.state()));
    } catch (TimeoutException e) {
      return silent(state, "no answer within %d ms".formatted(timeout.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return silent(state, "interrupted while it was asked");
    } catch (ExecutionException e) {
      return failed(state, e.getCause());
    }
  }

  private Optional<ViewMetadata> poll(String view)
      throws InterruptedException, ExecutionException, TimeoutException {
    return polls.computeIfAbsent(view, this::begin).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What another installation, or view, wrote or left that holds off all states of this one. */
  private Optional<String> holdsOff(Optional<ViewMetadata> shown, ViewState state)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (shown.isPresent()) {
      return shown.flatMap(metadata -> holdsOff(metadata, state));
    }
    Optional<ViewGeneration> placing = ViewMetadata.of(state).placing(state.target());
    if (placing.isEmpty() || state.state() == ViewState.State.DELETING) {
      return Optional.empty();
    }
    return CompletableFuture.supplyAsync(() -> whyNothing(placing.get(), state), executor)
        .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Optional<String> whyNothing(ViewGeneration placing, ViewState state) {
    return reads.occupied(placing).or(() -> isHistory(placing, state));
  }

  private Optional<String> isHistory(ViewGeneration placing, ViewState state) {
    return reads
        .history(placing)
        .filter(history -> history.version() >= state.version())
        .map(
            history ->
                "%s holds version %d of an earlier installation, and this is %d; if nobody else uses the target, remove that, or give the view another name"
                    .formatted(history.place(), history.version(), state.version()));
  }

  /**
   * Why metadata holds the state off; empty: it does not. Metadata of another installation does,
   * and that of a later version but an earlier time; if it is later in both, the state is only read
   * late.
   */
  private static Optional<String> holdsOff(ViewMetadata shown, ViewState state) {
    if (!shown.isOf(state.uid())) {
      return Optional.of(ViewMetadata.foreign("its metadata"));
    }
    return shown.version() > state.version() && shown.changedAtMs() < state.changedAtMs()
        ? Optional.of(
            "it holds version %d, and this is %d: the topics of the states are of an earlier moment than the target"
                .formatted(shown.version(), state.version()))
        : Optional.empty();
  }

  private CompletableFuture<Optional<ViewMetadata>> begin(String view) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return reads.read(view).map(MetadataReads.Seen::metadata);
          } finally {
            polls.remove(view);
          }
        },
        executor);
  }

  /** What no waiting helps against keeps nobody waiting. */
  private static Visibility failed(ViewState state, Throwable failure) {
    if (failure instanceof KvStoreException.Unavailable
        || failure instanceof ItemStoreException.Unavailable
        || failure instanceof UnreadableMetadataException) {
      return silent(state, failure.getMessage());
    }
    if (failure instanceof KvStoreException || failure instanceof ItemStoreException) {
      return Visibility.unknown(
          "target %s cannot be read from here: %s".formatted(state.target(), failure.getMessage()));
    }
    throw new IllegalStateException(
        "reading the metadata of target %s failed".formatted(state.target()), failure);
  }

  private static Visibility silent(ViewState state, String why) {
    return Visibility.pending(
        "target %s does not say what readers see: %s".formatted(state.target(), why));
  }

  /**
   * What counts is what readers see, not the state's version: that rises with every count of rows
   * too, and is there before the rest while a sink puts metadata in place.
   */
  private static boolean tells(Optional<ViewMetadata> metadata, ViewState state) {
    return metadata.isPresent()
        && metadata.get().state() == state.state()
        && serving(metadata.get()).equals(serving(state));
  }

  private static OptionalInt serving(ViewMetadata metadata) {
    return metadata.serving().stream().mapToInt(ViewGeneration::number).findFirst();
  }

  private static OptionalInt serving(ViewState state) {
    return state.serving().stream().mapToInt(ViewState.Generation::number).findFirst();
  }
}
