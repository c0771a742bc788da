package io.indexview.streams.health;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.health.MetricsPage.PrometheusText;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The states of the views, as the process that owns them knows them; another process shows none.
 * Safe for use by several threads.
 */
public final class ViewStateGauges {
  private static final String STATE = "indexview_view_state";
  private static final String REASONS = "indexview_view_reasons";
  private static final String VISIBLE_BEFORE = "indexview_view_visible_before_timestamp_seconds";
  private static final String UNREADABLE = "indexview_unreadable_control_records_total";

  private final LongAdder unreadable = new LongAdder();
  private volatile List<Shown> views = List.of();

  /**
   * @param reasons how many different things are wrong with the view
   */
  public record Shown(ViewState view, int reasons) {}

  /** Shows these views, and no others. */
  public void show(List<Shown> all) {
    views = List.copyOf(all);
  }

  /** A record of a control topic was passed over, because nobody can read it. */
  public void countUnreadable() {
    unreadable.increment();
  }

  void render(PrometheusText text) {
    List<Shown> all = views;
    text.describe(STATE, "gauge", "1: the state that the view is in.");
    for (Shown view : all) {
      text.sample(STATE, 1, "view", view.view().view(), "state", view.view().state().name());
    }
    text.describe(REASONS, "gauge", "How many different things are wrong with the view.");
    for (Shown view : all) {
      text.sample(REASONS, view.reasons(), "view", view.view().view());
    }
    text.describe(
        VISIBLE_BEFORE,
        "gauge",
        "Every change that was made before this time is in the rows that serve; seconds since the"
            + " epoch. Absent while it is not known.");
    for (Shown view : all) {
      view.view()
          .freshness()
          .visibleBeforeMs()
          .ifPresent(
              time -> text.sample(VISIBLE_BEFORE, time / 1_000.0, "view", view.view().view()));
    }
    text.describe(UNREADABLE, "counter", "Control records that nobody can read, passed over.");
    text.sample(UNREADABLE, unreadable.sum());
  }
}
