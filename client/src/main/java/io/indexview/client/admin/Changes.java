package io.indexview.client.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.client.admin.ViewAdmin.NoStandbyException;
import io.indexview.client.admin.ViewChange.Effect;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ControlTable.Contents;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.views.definition.KnownTargets;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.spec.RequestedBuild;
import io.indexview.views.spec.TakenNames;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/** Works out what a definition, a rebuild or a rollback changes of what stands. Thread-safe. */
final class Changes {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final Topics topics;
  private final ControlTopicTables control;
  private final Map<String, String> recordKeys = new ConcurrentHashMap<>();

  Changes(Topics topics, ControlTopicTables control) {
    this.topics = topics;
    this.control = control;
  }

  void reserveKeys(String recordSet, String component) {
    recordKeys.put(recordSet, component);
  }

  /** Whether a generation was frozen for what is wanted. */
  static boolean serves(PublishedGeneration generation, ViewSpec spec) {
    return generation.definition().equals(spec.definition())
        && generation.build().number() == spec.build().number();
  }

  /**
   * What applying a text changes.
   *
   * @param specs that stand
   */
  ViewChange of(String origin, String text, Contents<ViewSpec> specs) {
    Collection<RecordSetInfo> infos = control.recordSets().values();
    Map<String, RecordSet> recordSets = recordSets(infos);
    Map<String, PublishedGeneration> generations = control.generations().newest();
    ViewDefinition definition =
        new ViewDefinitionParser(targets(infos))
            .parse(
                origin,
                text,
                recordSets,
                parsed ->
                    new TakenNames(topics, recordSets)
                        .withRecords(recordKeys)
                        .besides(parsed.name(), specs.newest(), generations));
    return change(
        definition,
        specs.newest().get(definition.name()),
        Optional.ofNullable(specs.unreadable().get(definition.name())));
  }

  private static Map<String, RecordSet> recordSets(Collection<RecordSetInfo> infos) {
    Map<String, RecordSet> recordSets = new HashMap<>();
    infos.forEach(info -> recordSets.put(info.name(), recordSet(info)));
    return recordSets;
  }

  private static KnownTargets targets(Collection<RecordSetInfo> infos) {
    return new KnownTargets(
        infos.stream().flatMap(info -> info.fencedTargets().stream()).collect(Collectors.toSet()),
        infos.stream().flatMap(info -> info.connectTargets().stream()).collect(Collectors.toSet()));
  }

  private static RecordSet recordSet(RecordSetInfo info) {
    return new RecordSet(
        info.name(),
        info.topic(),
        RecordFormat.valueOf(info.format().toUpperCase(Locale.ROOT)),
        info.uniqueFields(),
        new Schema.Parser().parse(info.schema()));
  }

  private ViewChange change(
      ViewDefinition definition, ViewSpec present, Optional<String> unreadable) {
    String view = definition.name();
    String json = definition.toJson();
    Optional<Duration> interval = Optional.ofNullable(definition.verificationInterval());
    List<ViewChange.Field> fields =
        fields(
            present == null
                ? "{}"
                : ViewDefinition.written(present.definition(), present.verificationInterval()),
            ViewDefinition.written(json, interval));
    if (present != null && present.definition().equals(json)) {
      boolean isSame = present.verificationInterval().equals(interval);
      ViewState state = control.states().newest().get(view);
      if (state != null && state.refuses(present)) {
        List<Standing> standing = standing(view);
        String cost = cost(effect(definition, standing), same(json, standing), standing);
        return unbuilt(
            present, interval, Effect.RETRY, "it was refused, and is tried again: " + cost, fields);
      }
      return unbuilt(
          present,
          interval,
          isSame ? Effect.NONE : Effect.UPDATE,
          isSame
              ? "nothing: this is what is wanted already"
              : "nothing is built; only how often the view is verified changes",
          fields);
    }
    List<Standing> standing = standing(view);
    Optional<Standing> same = same(json, standing);
    Effect effect = same.isPresent() ? Effect.SWITCH : effect(definition, standing);
    return new ViewChange(
        view,
        Optional.ofNullable(present),
        unreadable,
        json,
        RequestedBuild.of(
            json, present, standing.stream().map(Standing::published).toList(), published(view)),
        interval,
        effect,
        unreadable
                .map("replaces a definition that cannot be read here (%s): "::formatted)
                .orElse("")
            + cost(effect, same, standing),
        fields,
        Optional.empty());
  }

  /** A change that builds nothing, because the definition is wanted already. */
  private static ViewChange unbuilt(
      ViewSpec present,
      Optional<Duration> interval,
      Effect effect,
      String cost,
      List<ViewChange.Field> fields) {
    return new ViewChange(
        present.view(),
        Optional.of(present),
        Optional.empty(),
        present.definition(),
        present.build(),
        interval,
        effect,
        cost,
        fields,
        Optional.empty());
  }

  private static Optional<Standing> same(String json, List<Standing> standing) {
    return standing.stream().filter(one -> one.published().definition().equals(json)).findFirst();
  }

  private static Effect effect(ViewDefinition definition, List<Standing> standing) {
    boolean inPlace =
        definition.target() instanceof Target.DynamoDb table
            && table.swap() == Target.Swap.IN_PLACE;
    boolean serves = standing.stream().anyMatch(one -> one.role() == Role.SERVING);
    return inPlace && serves ? Effect.BUILD_UNSERVED : Effect.BUILD;
  }

  private static String cost(Effect effect, Optional<Standing> same, List<Standing> standing) {
    if (same.isPresent()) {
      String generation = "generation " + same.get().published().generation();
      return switch (same.get().role()) {
        case SERVING -> generation + " serves this already";
        case BUILDING -> generation + ", which is being built, is this";
        default -> generation + ", which stands by, serves again once it is up to date";
      };
    }
    if (effect == Effect.BUILD_UNSERVED) {
      return "a new generation is built in the same table; the view cannot be read until then";
    }
    return standing.stream().anyMatch(one -> one.role() == Role.SERVING)
        ? "a new generation is built; the old one serves until that is READY"
        : "a new generation is built from all records";
  }

  /** A build number above those of all generations that stand, and of the spec. */
  long unusedBuild(ViewSpec present) {
    return RequestedBuild.unused(present, published(present.view()));
  }

  private List<PublishedGeneration> published(String view) {
    return control.generations().newest().values().stream()
        .filter(generation -> generation.view().equals(view))
        .toList();
  }

  /**
   * Where a rollback leads.
   *
   * @throws NoStandbyException if it leads nowhere
   */
  PublishedGeneration rollbackTarget(ViewSpec present) {
    List<Standing> standing = standing(present.view());
    return Stream.of(Role.SERVING, Role.STANDBY)
        .flatMap(role -> standing.stream().filter(one -> one.role() == role))
        .map(Standing::published)
        .filter(generation -> !serves(generation, present))
        .findFirst()
        .orElseThrow(() -> new NoStandbyException(present.view()));
  }

  /** A generation that serves, or can be made to. */
  private record Standing(Role role, PublishedGeneration published) {}

  /** The newest first. */
  private List<Standing> standing(String view) {
    ViewState state = control.states().newest().get(view);
    if (state == null) {
      return List.of();
    }
    Map<String, PublishedGeneration> published = control.generations().newest();
    return state.generations().stream()
        .filter(one -> one.role() != Role.RETIRING)
        .filter(one -> published.containsKey(PublishedGeneration.key(view, one.number())))
        .sorted(Comparator.comparingInt(ViewState.Generation::number).reversed())
        .map(
            one ->
                new Standing(
                    one.role(), published.get(PublishedGeneration.key(view, one.number()))))
        .toList();
  }

  private static List<ViewChange.Field> fields(String before, String after) {
    JsonNode old = tree(before);
    JsonNode wanted = tree(after);
    TreeSet<String> names = new TreeSet<>();
    old.fieldNames().forEachRemaining(names::add);
    wanted.fieldNames().forEachRemaining(names::add);
    return names.stream()
        .filter(name -> !old.path(name).equals(wanted.path(name)))
        .map(name -> new ViewChange.Field(name, text(old.get(name)), text(wanted.get(name))))
        .toList();
  }

  private static String text(JsonNode value) {
    return value == null ? "" : value.toString();
  }

  private static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a definition that is no JSON stands on its topic", e);
    }
  }
}
