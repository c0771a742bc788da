package io.indexview.client.read;

import io.indexview.client.read.PageTokens.PagePosition;
import io.indexview.client.read.target.ViewRows;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/** A generation that serves, with what reading its pages needs again and again. Thread-safe. */
final class ServingGeneration {
  private final ViewGeneration generation;
  private final ViewRows rows;
  private final String digest;

  /** Each is for one page at a time, and takes as much memory as the largest row it saw. */
  private final Queue<CompiledView> idle =
      new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

  ServingGeneration(ViewGeneration generation, ViewRows rows) {
    this.generation = generation;
    this.rows = rows;
    this.digest = PagePosition.digest(generation.toJson());
  }

  /**
   * Tells it from a generation of the same view and number in another installation, whose rows may
   * have other names and another order.
   */
  String digest() {
    return digest;
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

  /** Keeps it for another page, unless there are enough of them. */
  void giveBack(CompiledView compiled) {
    idle.offer(compiled);
  }
}
