package io.indexview.views.definition;

import java.util.Set;

/**
 * What is known of the sinks of an installation.
 *
 * @param fenced targets whose sinks never replace newer rows, and so need rows that hold their
 *     revision
 * @param connect targets beside Indexview's own that a Connect sink of another origin serves
 */
public record KnownTargets(Set<String> fenced, Set<String> connect) {
  /** Indexview's own targets, whatever their sinks are like. */
  public static final KnownTargets OWN = new KnownTargets(Set.of(), Set.of());

  public KnownTargets {
    fenced = Set.copyOf(fenced);
    connect = Set.copyOf(connect);
  }
}
