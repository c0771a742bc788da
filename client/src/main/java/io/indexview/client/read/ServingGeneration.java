package io.indexview.client.read;

import io.indexview.client.read.target.ViewRows;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A generation that serves, with what reading its pages needs again and again. Thread-safe. */
final class ServingGeneration {
  private final ViewGeneration generation;
  private final ViewRows rows;

  /** Each is for one page at a time; as many as pages were read at once. */
  private final Queue<CompiledView> idle = new ConcurrentLinkedQueue<>();

  ServingGeneration(ViewGeneration generation, ViewRows rows) {
    this.generation = generation;
    this.rows = rows;
  }

  ViewGeneration generation() {
    return generation;
  }

  ViewRows rows() {
    return rows;
  }

  /** Derives rows of records of the generation's schema; the caller's until it gives it back. */
  CompiledView takeCompiled() {
    CompiledView known = idle.poll();
    return known == null
        ? CompiledView.compile(generation, generation.recordSet().schema())
        : known;
  }

  void giveBack(CompiledView compiled) {
    idle.add(compiled);
  }
}
