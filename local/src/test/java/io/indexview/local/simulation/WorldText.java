package io.indexview.local.simulation;

import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.common.index.MaterializedIndex.IndexRow;
import io.indexview.connect.kvstore.source.SteppedSource;
import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * What decides the future of a world, but for what its source holds in memory while it scans: two
 * worlds with the same text, and the same steps since the source rested, have the same future.
 * Times and offsets are left out, which only matter as far as they are told.
 */
record WorldText(SourceWorld world, MaterializedIndex<ScannedIndexState> index) {
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(world.store.state());
    world.app.entries().values().forEach(entry -> text.append(" a").append(text(entry)));
    for (IndexRow row : index.rowsAfter(null, 100)) {
      text.append(" i").append(text(row.entry()));
    }
    world.sent.forEach(
        one ->
            text.append(" t")
                .append(text(world.app.read(one.event().value(), 0)))
                .append(one.arrivals())
                .append(one.arrived()));
    world.snapshotReads.forEach(record -> text.append(" o").append(text(record)));
    world.late.forEach(record -> text.append(" l").append(text(record)));
    world
        .topic
        .heldBack()
        .forEach(event -> text.append(" h").append(text(world.app.read(event.value(), 0))));
    List<Object> rest =
        List.of(
            index.state().orElseThrow().snapshot() != null,
            begun(),
            world.isAsked(),
            index.state().orElseThrow().scannedBefore(),
            world.scans() > 0,
            world.app.unnamed(),
            world.removed().values(),
            world.ordered(),
            world.lossy());
    return text.append(rest).toString();
  }

  /** How far the scan is that a restarted task goes on with. */
  private String begun() {
    BegunScan begun = index.state().orElseThrow().begun();
    return begun == null ? "" : begun.adHoc() + begun.scope() + begun.covered();
  }

  private String text(Entry entry) {
    boolean expired = entry.timestampMs() < world.now() - SteppedSource.RETENTION.toMillis();
    return text(entry.version())
        + entry.deleted()
        + entry.inferred()
        + expired
        + entry.left().stream().map(WorldText::text).toList()
        + (entry.value() == null ? "" : entry.value().hashCode());
  }

  private static String text(ChangeEvent event) {
    String origin =
        event.origin() instanceof Origin.SnapshotRead observed
            ? text(observed.version())
                + observed.base().present()
                + observed.base().deleted()
                + text(observed.base().version())
                + observed.adHoc()
            : text(((Origin.Versioned) event.origin()).version());
    return event.op() + origin + (event.value() == null ? "" : event.value().hashCode());
  }

  private static String text(SourceVersion version) {
    return version == null ? "-" : version.toString();
  }

  private static String text(SourceRecord record) {
    Struct event = (Struct) record.value();
    Struct order = event.getStruct("source").getStruct("order");
    Struct base = order.getStruct("base");
    return event.getString("op")
        + version(order)
        + version(base)
        + base.getBoolean("present")
        + base.getBoolean("deleted")
        + order.get("adHoc");
  }

  private static String version(Struct holder) {
    byte[] sequence = holder.getBytes("sequence");
    return holder.get("epoch") + ":" + (sequence == null ? "" : HexFormat.of().formatHex(sequence));
  }
}
