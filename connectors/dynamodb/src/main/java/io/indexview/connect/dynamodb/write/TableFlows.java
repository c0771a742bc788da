package io.indexview.connect.dynamodb.write;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The flows of the tables that a task writes. For one thread. */
public final class TableFlows {
  private static final Logger LOGGER = LoggerFactory.getLogger(TableFlows.class);

  private final Pacing pacing;
  private final Listener listener;
  private final Map<String, TableFlow> byTable = new LinkedHashMap<>();

  /** Is told which flows there are. */
  public interface Listener {
    /** Does nothing. */
    Listener NONE =
        new Listener() {
          @Override
          public void added(TableFlow flow) {}

          @Override
          public void removed(TableFlow flow) {}
        };

    void added(TableFlow flow);

    void removed(TableFlow flow);
  }

  public TableFlows(Pacing pacing, Listener listener) {
    this.pacing = pacing;
    this.listener = listener;
  }

  TableFlow of(String table) {
    TableFlow known = byTable.get(table);
    if (known != null) {
      return known;
    }
    TableFlow flow = new TableFlow(table, pacing);
    byTable.put(table, flow);
    listener.added(flow);
    return flow;
  }

  int maxInFlight() {
    return pacing.maxInFlight();
  }

  /** No generation is written to this table any more; unless it is written at the moment. */
  public void forget(String table) {
    TableFlow flow = byTable.get(table);
    if (flow != null && flow.requestsInFlight() == 0) {
      byTable.remove(table);
      end(flow);
    }
  }

  /** Forgets all. */
  public void close() {
    List.copyOf(byTable.values()).forEach(this::end);
    byTable.clear();
  }

  private void end(TableFlow flow) {
    listener.removed(flow);
    LOGGER.info(
        "Table {}: {} rows applied, {} held off by newer ones, {} write capacity units",
        flow.table(),
        flow.appliedRows(),
        flow.heldOffRows(),
        flow.units());
  }
}
