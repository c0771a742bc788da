package io.indexview.connect.common.metadata;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;

/**
 * The states that a view goes through, as the controller publishes them: at random, with builds,
 * switches, rollbacks, removals and drops.
 */
public final class ViewStates {
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredString("org")
          .requiredLong("cost")
          .endRecord();
  private static final RecordSet PEOPLE =
      new RecordSet("people", "indexview.changes.people", RecordFormat.ENVELOPE, List.of(), PERSON);

  private final String view;
  private final List<String> definitions;
  private final Random random;
  private final Map<Integer, Role> roles = new TreeMap<>();
  private final Map<Integer, String> descriptions = new TreeMap<>();
  private final List<Event> events = new ArrayList<>();
  private State state = State.BUILDING;
  private long version;
  private int number;

  private ViewStates(String view, List<String> definitions, Random random) {
    this.view = view;
    this.definitions = definitions;
    this.random = random;
  }

  /**
   * One record of view-states.
   *
   * @param removable generations whose rows may be removed once the target has this state
   */
  public record Event(ViewStateChange change, Set<Integer> removable) {}

  /**
   * States at random.
   *
   * @param definitions YAML after name and source, one of which each generation has
   */
  public static List<Event> of(String view, List<String> definitions, int steps, Random random) {
    ViewStates states = new ViewStates(view, definitions, random);
    for (int i = 0; i < steps; i++) {
      states.step();
    }
    return states.events;
  }

  /** A generation of a view over people. */
  public static ViewGeneration generation(String view, String yaml, int number) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser().parse("v.yaml", "name: " + view + "\nsource: people\n" + yaml),
        number,
        PEOPLE,
        new Topics(Topics.DEFAULT_PREFIX));
  }

  /** A state with these generations; their target is the view's. */
  public static ViewState state(
      String view, long version, State state, Map<ViewGeneration, Role> generations) {
    List<ViewState.Generation> listed =
        generations.entrySet().stream()
            .map(
                entry -> listed(entry.getKey().number(), entry.getValue(), entry.getKey().toJson()))
            .toList();
    String target =
        generations.isEmpty()
            ? "kv"
            : generations.keySet().iterator().next().definition().target().type();
    return state(view, version, state, target, listed);
  }

  private static ViewState state(
      String view, long version, State state, String target, List<ViewState.Generation> listed) {
    return new ViewState(
        view,
        "uid-1",
        version,
        1_500_000_000_000L + version,
        state,
        1,
        state == State.DEGRADED ? "a record has no rows" : "",
        "people",
        target,
        "connect-" + target,
        listed,
        List.of(),
        ViewState.Freshness.UNKNOWN);
  }

  /** The same state of the view of the name in another installation. */
  public static ViewState ofUid(String uid, ViewState state) {
    return new ViewState(
        state.view(),
        uid,
        state.version(),
        state.changedAtMs(),
        state.state(),
        state.definitionVersion(),
        state.reason(),
        state.recordSet(),
        state.target(),
        state.sinkGroup(),
        state.generations(),
        state.progress(),
        state.freshness());
  }

  private static ViewState.Generation listed(int number, Role role, String description) {
    return new ViewState.Generation(
        number,
        role,
        0,
        description,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty());
  }

  private void step() {
    if (state == State.DELETING) {
      dropFurther();
      return;
    }
    switch (random.nextInt(8)) {
      case 0, 1 -> build();
      case 2, 3 -> serve(Role.BUILDING);
      case 4 -> serve(Role.STANDBY);
      case 5 -> retire();
      case 6 -> roles.values().removeIf(role -> role == Role.RETIRING);
      default -> {
        if (random.nextInt(3) == 0) {
          state = State.DELETING;
        } else if (with(Role.SERVING) != null) {
          state = random.nextBoolean() ? State.READY : State.DEGRADED;
        }
      }
    }
    publish();
  }

  private void build() {
    if (with(Role.BUILDING) == null) {
      number++;
      String yaml = definitions.get(random.nextInt(definitions.size()));
      descriptions.put(number, generation(view, yaml, number).toJson());
      roles.put(number, Role.BUILDING);
    }
  }

  private void serve(Role from) {
    Integer next = with(from);
    if (next != null) {
      Integer standby = with(Role.STANDBY);
      if (standby != null) {
        roles.put(standby, Role.RETIRING);
      }
      Integer serving = with(Role.SERVING);
      if (serving != null) {
        roles.put(serving, Role.STANDBY);
      }
      roles.put(next, Role.SERVING);
      state = State.READY;
    }
  }

  private void retire() {
    for (Role role : EnumSet.of(Role.STANDBY, Role.BUILDING)) {
      Integer retired = with(role);
      if (retired != null && random.nextBoolean()) {
        roles.put(retired, Role.RETIRING);
      }
    }
  }

  private void dropFurther() {
    if (roles.isEmpty()) {
      events.add(new Event(ViewStateChange.gone(view, Optional.of("uid-1")), Set.of()));
      state = State.BUILDING;
    } else if (roles.values().stream().allMatch(role -> role == Role.RETIRING)) {
      roles.remove(roles.keySet().iterator().next());
      publish();
    } else {
      roles.replaceAll((generation, role) -> Role.RETIRING);
      publish();
    }
  }

  private Integer with(Role role) {
    return roles.entrySet().stream()
        .filter(entry -> entry.getValue() == role)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  private void publish() {
    Set<Integer> removable = new TreeSet<>();
    List<ViewState.Generation> listed = new ArrayList<>();
    roles.forEach(
        (generation, role) -> {
          listed.add(listed(generation, role, descriptions.get(generation)));
          if (role == Role.RETIRING) {
            removable.add(generation);
          }
        });
    String target = generation(view, definitions.get(0), 1).definition().target().type();
    events.add(
        new Event(ViewStateChange.of(state(view, ++version, state, target, listed)), removable));
  }
}
