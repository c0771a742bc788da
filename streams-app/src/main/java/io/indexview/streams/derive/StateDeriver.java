package io.indexview.streams.derive;

import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.PrimaryKeys;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import java.util.function.Predicate;

/**
 * Derives from the state instead of from events: the rows of records in views that did not follow
 * them. Not safe for use by several threads.
 */
public final class StateDeriver {
  private final String topic;
  private final int partition;
  private final ViewPlans plans;
  private final PrimaryKeys keys;

  /**
   * @param topic the primary-change topic
   * @param partition whose state it is
   */
  public StateDeriver(String topic, int partition, DeriverServices services, ViewPlans plans) {
    this.topic = topic;
    this.partition = partition;
    this.plans = plans;
    this.keys = new PrimaryKeys(services.registry());
  }

  /**
   * Emits every row that a record has in the chosen views, with the record's own revision.
   *
   * @return false if the entry is that of a deleted record
   */
  public boolean derive(
      byte[] stateKey, byte[] encoded, Predicate<FollowedView> chosen, TaskOutput out) {
    Entry entry = EntryCodec.decode(encoded);
    if (entry.deleted()) {
      return false;
    }
    apply(stateKey, null, entry, chosen, out);
    return true;
  }

  /**
   * Emits what changes when an entry is replaced for another reason than an event, in all views
   * that follow its record.
   *
   * @param before null: there was none
   */
  public void replace(byte[] stateKey, Entry before, Entry after, TaskOutput out) {
    apply(stateKey, before, after, view -> view.follows(stateKey), out);
  }

  private void apply(
      byte[] stateKey, Entry before, Entry after, Predicate<FollowedView> chosen, TaskOutput out) {
    byte[] key = PrimaryKeys.key(after.keySchemaId(), stateKey);
    ChangeRecord about =
        new ChangeRecord(
            topic,
            partition,
            EventPositions.offset(after.offset()),
            after.timestampMs(),
            key,
            null);
    RecordChange change = new RecordChange(about, text(key), before, after);
    for (ReaderGroup group : plans.groups()) {
      if (group.hasAny(chosen)) {
        group.apply(change, chosen, out);
      }
    }
  }

  private String text(byte[] key) {
    try {
      return keys.text(key);
    } catch (MalformedEventException e) {
      throw new IllegalStateException(
          "topic %s, partition %d: the state holds a key that no event can have had: %s"
              .formatted(topic, partition, e.getMessage()),
          e);
    }
  }
}
