package io.indexview.schemas.order.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Walks through every history of one key: all sequences of puts, deletes, migrations, scans,
 * expired tombstones and lost indexes up to a number of steps, each with all ways in which the
 * events arrive in between: in any order, late, more than once or never. The app may pass over some
 * of them. Histories that led to the same world are followed once.
 */
final class Simulation {
  private final Rules rules;
  private final int arrivals;
  private final Map<SimulationState, Integer> seen = new HashMap<>();
  private final Deque<Node> open = new ArrayDeque<>();

  private record Node(SimulationState world, int steps, String action, Node before) {
    String history() {
      return before == null ? "" : before.history() + action + "; ";
    }
  }

  /** What must hold of every world. */
  interface Check {
    boolean holds(SimulationState world, Rules rules);
  }

  /**
   * @param arrivals how often one change event may arrive
   */
  Simulation(Rules rules, int arrivals) {
    this.rules = rules;
    this.arrivals = arrivals;
  }

  /** Number of different worlds seen. */
  int size() {
    return seen.size();
  }

  /** A history, if there is one, that leads to a world of which the check does not hold. */
  Optional<String> counterexample(int steps, Check check) {
    add(null, steps, "", SimulationState.EMPTY);
    while (!open.isEmpty()) {
      Node node = open.poll();
      SimulationState world = node.world();
      if (!check.holds(world, rules)) {
        return Optional.of(
            "%sthe store has %s, the app %s"
                .formatted(node.history(), world.store().record(), world.app()));
      }
      meanwhile(node);
      if (node.steps() > 0) {
        step(node);
      }
    }
    return Optional.empty();
  }

  private void step(Node node) {
    SimulationState world = node.world();
    int steps = node.steps() - 1;
    add(node, steps, "put", world.put(true, arrivals));
    add(node, steps, "put what the source cannot decode", world.put(false, arrivals));
    add(node, steps, "migrate anew", world.migrate(true));
    if (world.store().record() != null) {
      add(node, steps, "delete", world.delete(arrivals));
      add(node, steps, "migrate", world.migrate(false));
    }
    add(node, steps, "retention passes", world.expire());
    add(node, steps, "index is lost, topic trimmed", world.loseIndex());
    if (world.scanner().scan() == null) {
      add(node, steps, "begin scan", world.beginScan());
    }
    for (int i = 0; i < world.sent().size(); i++) {
      String arrival = arrival(world.sent().get(i)) + ", is passed over";
      add(node, steps, arrival, world.arriveAndPassOver(i, rules));
    }
  }

  /** What happens on its own and costs no step. */
  private void meanwhile(Node node) {
    SimulationState world = node.world();
    for (int i = 0; i < world.sent().size(); i++) {
      add(node, node.steps(), arrival(world.sent().get(i)), world.arrive(i, rules));
    }
    if (SimulationState.isExpired(world.app())) {
      add(node, node.steps(), "app forgets", world.appForgets());
    }
    if (SimulationState.isExpired(world.scanner().index()) && !world.scanner().lagsByARetention()) {
      add(node, node.steps(), "index forgets", world.indexForgets());
    }
    if (world.unnamed()) {
      add(node, node.steps(), "app cleans up", world.cleanUp());
    }
    StoreScanner.StoreScan scan = world.scanner().scan();
    if (scan == null) {
      return;
    }
    if (!scan.scanned()) {
      add(node, node.steps(), "scan", world.scan());
      if (scan.moved()) {
        add(node, node.steps(), "scan and miss", world.scanAndMiss());
      }
      return;
    }
    if (!world.scanner().unread().isEmpty()) {
      add(node, node.steps(), "index reads", world.indexReads(rules));
    }
    add(node, node.steps(), "scan sends", world.endScan(false, rules));
    add(node, node.steps(), "scan sends late", world.endScan(true, rules));
  }

  private void add(Node before, int steps, String action, SimulationState world) {
    Integer known = seen.get(world);
    if (known == null || known < steps) {
      seen.put(world, steps);
      open.add(new Node(world, steps, action, before));
    }
  }

  private static String arrival(SimulationState.Message message) {
    return "arrives: " + message.event().op() + " " + message.event().origin();
  }
}
