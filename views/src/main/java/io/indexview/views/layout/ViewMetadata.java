package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.schemas.control.EnumFields;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the metadata of a view says in its target: the state, and which generation serves. A sink
 * writes it, a reader reads it before any row.
 *
 * @param uid of the view in the installation whose sink wrote this, see {@link ViewState#uid}
 * @param version of the view's state; the higher one of two holds
 * @param changedAtMs ms since the epoch
 * @param reason why it is not READY; empty: nothing to say
 * @param sinkGroup consumer group of the target's sink
 * @param freshness of the serving generation
 */
public record ViewMetadata(
    String view,
    String uid,
    long version,
    long changedAtMs,
    ViewState.State state,
    String reason,
    String recordSet,
    String sinkGroup,
    List<Generation> generations,
    ViewState.Freshness freshness) {
  /**
   * How long the rows of a generation stay at least, and are kept up to date, after its target
   * shows that it no longer serves: readers go by what they read up to half as long ago.
   */
  public static final Duration MIN_GRACE = Duration.ofSeconds(10);

  /** Table of the metadata items in DynamoDB: this after the topic prefix. */
  public static final String DYNAMODB_TABLE_SUFFIX = "-views";

  /** Partition key of {@link #DYNAMODB_TABLE_SUFFIX}: {@code view#<name>}. */
  public static final String DYNAMODB_KEY = "id";

  /** Attribute of a metadata item that holds {@link #version}. */
  public static final String DYNAMODB_VERSION = "version";

  /** Attribute of a metadata item that holds the state's name. */
  public static final String DYNAMODB_STATE = "state";

  /** Attribute of a metadata item that names the serving table; absent if none serves. */
  public static final String DYNAMODB_SERVING_TABLE = "servingTable";

  /** Attribute of a metadata item that holds {@link #toJson}. */
  public static final String DYNAMODB_DOCUMENT = "document";

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  public ViewMetadata {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(uid, "uid");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    generations = List.copyOf(generations);
    Objects.requireNonNull(freshness, "freshness");
  }

  /** A generation and what it is there for. */
  public record Generation(ViewState.Role role, ViewGeneration generation) {}

  /**
   * The metadata that a state stands for.
   *
   * @throws IllegalArgumentException if a generation cannot be read
   */
  public static ViewMetadata of(ViewState state) {
    return new ViewMetadata(
        state.view(),
        state.uid(),
        state.version(),
        state.changedAtMs(),
        state.state(),
        state.reason(),
        state.recordSet(),
        state.sinkGroup(),
        state.generations().stream()
            .map(g -> new Generation(g.role(), ViewGeneration.fromJson(g.description())))
            .toList(),
        state.freshness());
  }

  /**
   * Whether this is of the view of its name that has a uid, and not of another installation's.
   *
   * @param uid as {@link ViewState#uid}
   */
  public boolean isOf(String uid) {
    return this.uid.equals(uid);
  }

  /**
   * What to say of metadata that {@link #isOf} tells from a view's own.
   *
   * @param place where it is, for people
   */
  public static String foreign(String place) {
    return "%s describes a view of this name of another installation; if nobody else uses the target, drop the view, remove that and all rows of the name, and define the view again; or give it another name"
        .formatted(place);
  }

  /**
   * What to say of metadata of another view where that of a view belongs.
   *
   * @param place where it is, for people
   * @param other name of that view
   */
  public static String occupied(String place, String other) {
    return "%s describes view %s, whose schema and key fields are the same: with naming: hash their rows would lie in one place; if there is no such view any more, remove that and its rows; else take naming: plain or another prefix and metaPrefix"
        .formatted(place, other);
  }

  /**
   * Whether this is of a view of the name in another installation than a generation is of; not if
   * the generation does not say of which it is.
   */
  public boolean isForeignTo(ViewGeneration generation) {
    return !generation.uid().isEmpty() && !isOf(generation.uid());
  }

  /** The generation whose rows are to be read; empty if there is none yet. */
  public Optional<ViewGeneration> serving() {
    for (Generation generation : generations) {
      if (generation.role() == ViewState.Role.SERVING) {
        return Optional.of(generation.generation());
      }
    }
    return Optional.empty();
  }

  /**
   * The generation by whose layout the metadata lies in a target: the serving one, else the newest;
   * empty if none has its rows there.
   *
   * @param target {@code kv} or {@code dynamodb}
   */
  public Optional<ViewGeneration> placing(String target) {
    return generations.stream()
        .filter(g -> g.generation().definition().target().type().equals(target))
        .max(
            Comparator.comparing((Generation g) -> g.role() == ViewState.Role.SERVING)
                .thenComparing(g -> g.generation().number()))
        .map(Generation::generation);
  }

  /** Partition key of the metadata item of a view in DynamoDB. */
  public static String dynamoDbKey(String view) {
    return "view#" + view;
  }

  /**
   * Partition key in DynamoDB of the item that says up to which version states of a view are
   * history.
   */
  public static String dynamoDbHistoryKey(String view) {
    return "history#" + view;
  }

  /** The metadata item in DynamoDB. */
  public Map<String, Object> toItem() {
    Map<String, Object> item = new HashMap<>();
    item.put(DYNAMODB_KEY, dynamoDbKey(view));
    item.put(DYNAMODB_VERSION, version);
    item.put(DYNAMODB_STATE, state.name());
    serving().ifPresent(generation -> item.put(DYNAMODB_SERVING_TABLE, generation.storeName()));
    item.put(DYNAMODB_DOCUMENT, toJson());
    return item;
  }

  /**
   * Reads {@link #toItem} back.
   *
   * @throws IllegalArgumentException if it is no metadata, or of a newer release
   */
  public static ViewMetadata fromItem(Map<String, ?> item) {
    return fromJson(documentOf(item));
  }

  /**
   * What {@link #toJson} wrote, out of an item of {@link #toItem}.
   *
   * @throws IllegalArgumentException if it is no metadata
   */
  public static String documentOf(Map<String, ?> item) {
    if (item.get(DYNAMODB_DOCUMENT) instanceof String document) {
      return document;
    }
    throw new IllegalArgumentException(
        "view metadata: attribute %s is missing".formatted(DYNAMODB_DOCUMENT));
  }

  public String toJson() {
    ObjectNode json = JSON.createObjectNode();
    json.put("view", view);
    json.put("uid", uid);
    json.put("version", version);
    json.put("changedAt", changedAtMs);
    json.put("state", state.name());
    json.put("reason", reason);
    json.put("recordSet", recordSet);
    json.put("sinkGroup", sinkGroup);
    freshness.visibleBeforeMs().ifPresent(time -> json.put("visibleBefore", time));
    json.put("heldBackBy", freshness.heldBackBy());
    var items = json.putArray("generations");
    for (Generation generation : generations) {
      items
          .addObject()
          .put("role", generation.role().name())
          .put("generation", generation.generation().toJson());
    }
    return json.toString();
  }

  /** The view that a text is metadata of, also if a newer release wrote it; empty if it is none. */
  public static Optional<String> viewIn(String text) {
    return textIn(text, "view");
  }

  /** The uid in a text, as {@link #viewIn}; empty if it has none. */
  public static Optional<String> uidIn(String text) {
    return textIn(text, "uid");
  }

  private static Optional<String> textIn(String text, String field) {
    try {
      JsonNode value = JSON.readTree(text).path(field);
      return value.isTextual() ? Optional.of(value.asText()) : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException if it is no metadata, or of a newer release
   */
  public static ViewMetadata fromJson(String text) {
    JsonNode json;
    try {
      json = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("view metadata: not JSON: " + e.getOriginalMessage(), e);
    }
    List<Generation> generations = new ArrayList<>();
    for (JsonNode item : json.path("generations")) {
      generations.add(
          new Generation(
              constant(ViewState.Role.class, "role", item),
              ViewGeneration.fromJson(item.path("generation").asText())));
    }
    return new ViewMetadata(
        json.path("view").asText(),
        json.path("uid").asText(),
        json.path("version").asLong(),
        json.path("changedAt").asLong(),
        constant(ViewState.State.class, "state", json),
        json.path("reason").asText(),
        json.path("recordSet").asText(),
        json.path("sinkGroup").asText(),
        generations,
        new ViewState.Freshness(
            json.hasNonNull("visibleBefore")
                ? OptionalLong.of(json.path("visibleBefore").asLong())
                : OptionalLong.empty(),
            json.path("heldBackBy").asText()));
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String field, JsonNode json) {
    return EnumFields.constant(type, field, json.path(field).asText());
  }
}
