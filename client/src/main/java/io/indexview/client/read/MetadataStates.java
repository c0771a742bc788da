package io.indexview.client.read;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.admin.Visibility;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Looks at the metadata that readers go by, on the same way as they. */
final class MetadataStates implements TargetStates {
  private static final Set<String> WITH_METADATA = Set.of(Target.Kv.TYPE, Target.DynamoDb.TYPE);

  private final ViewTarget target;
  private final Set<String> types;

  /**
   * @param types of the targets that can be looked at
   */
  MetadataStates(ViewTarget target, Set<String> types) {
    this.target = target;
    this.types = Set.copyOf(types);
  }

  @Override
  public Visibility visibility(ViewState state) {
    if (!WITH_METADATA.contains(state.target())) {
      return Visibility.unknown(
          "target %s keeps no state of the view that could be looked at".formatted(state.target()));
    }
    if (!types.contains(state.target())) {
      return NONE.visibility(state);
    }
    try {
      return tells(target.metadata(state.view()), state)
          ? Visibility.SHOWN
          : Visibility.pending(
              "its sink (consumer group %s) has not written into target %s yet that it is %s; until then readers are refused or read what served before"
                  .formatted(state.sinkGroup(), state.target(), state.state()));
    } catch (KvStoreException | ItemStoreException | IllegalStateException e) {
      return Visibility.pending(
          "target %s does not say what readers are told: %s"
              .formatted(state.target(), e.getMessage()));
    }
  }

  /**
   * What counts is what readers are told, not the state's version: that rises with every count of
   * rows too, and is there before the rest while a sink puts metadata in place.
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
