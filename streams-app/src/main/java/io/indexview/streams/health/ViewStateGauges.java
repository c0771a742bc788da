package io.indexview.streams.health;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.health.AppMetricsRegistry.MetricGroup;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * The states of the views, as the process that owns them knows them; another process shows none.
 * Safe for use by several threads.
 */
public final class ViewStateGauges {
  private final AppMetricsRegistry registry;
  private final LongAdder unreadable = new LongAdder();
  private final Map<String, ShownView> views = new HashMap<>();

  ViewStateGauges(AppMetricsRegistry registry) {
    this.registry = registry;
  }

  /**
   * @param reasons how many different things are wrong with the view
   */
  public record Shown(ViewState view, int reasons) {}

  private static final class ShownView {
    private volatile Shown current;
    private MetricGroup metrics;

    private ShownView(Shown current) {
      this.current = current;
    }
  }

  /** Shows these views, and no others. */
  public synchronized void show(List<Shown> all) {
    Set<String> gone = new HashSet<>(views.keySet());
    for (Shown shown : all) {
      String name = shown.view().view();
      gone.remove(name);
      ShownView known = views.get(name);
      if (known == null) {
        views.put(name, add(name, shown));
      } else {
        known.current = shown;
      }
    }
    gone.forEach(name -> views.remove(name).metrics.remove());
  }

  private ShownView add(String name, Shown first) {
    ShownView view = new ShownView(first);
    view.metrics = registry.addViewState(name, () -> view.current);
    return view;
  }

  /** A record of a control topic was ignored, because nobody can read it. */
  public void countUnreadable() {
    unreadable.increment();
  }

  long unreadable() {
    return unreadable.sum();
  }
}
