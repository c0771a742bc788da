package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.ViewSet;
import java.util.Random;
import java.util.function.IntConsumer;
import org.apache.avro.generic.GenericRecord;

/**
 * Changes of people, the same in every run: of ten events seven are updates, half of which move the
 * person to another organisation; one in twenty is a delete, the others are inserts, or updates
 * once everybody is there. Keeps what has become of everybody. Not safe for use by several threads.
 */
public final class Workload {
  private static final int SEED = 16;
  private static final double UPDATES = 0.7;
  private static final double DELETES = 0.05;
  private static final double DUPLICATES = 0.02;
  private static final double LATE = 0.02;

  private final Random random = new Random(SEED);
  private final boolean guarded;
  private final int tags;
  private final int[] changes;
  private final int[] moves;
  private final long[] sequences;

  /** Everybody, those who are there first. */
  private final int[] people;

  private int there;
  private long sequence;

  /** Creates a workload of the events that two views of people need. */
  public Workload(int keys, boolean guarded) {
    this(keys, guarded, ViewSet.of(2));
  }

  /**
   * @param guarded whether events come twice, and late, for who can tell
   * @param views that are derived
   */
  Workload(int keys, boolean guarded, ViewSet views) {
    this.guarded = guarded;
    this.tags = views.tags();
    this.changes = new int[keys];
    this.moves = new int[keys];
    this.sequences = new long[keys];
    this.people = new int[keys];
    for (int i = 0; i < keys; i++) {
      people[i] = i;
    }
  }

  /**
   * An event.
   *
   * @param person number of the person
   * @param after null: deleted
   * @param sequence grows with every change
   */
  public record Event(int person, GenericRecord after, long sequence) {}

  /** Takes events. */
  public interface Output {
    void event(Event event);
  }

  /**
   * The next changes.
   *
   * @return how many events they are, with those that come twice or late
   */
  public int run(int count, Output output) {
    int events = 0;
    for (int i = 0; i < count; i++) {
      events += change(output);
    }
    return events;
  }

  /**
   * Inserts all who are not there.
   *
   * @return how many events they are
   */
  int fill(Output output) {
    int events = 0;
    while (there < people.length) {
      events += insertOrUpdate(people[there++], null, output);
    }
    return events;
  }

  private int change(Output output) {
    double kind = random.nextDouble();
    if (there > 0 && kind < DELETES) {
      int at = random.nextInt(there);
      int person = people[at];
      there--;
      people[at] = people[there];
      people[there] = person;
      sequences[person] = ++sequence;
      return put(new Event(person, null, sequence), null, output);
    }
    boolean isUpdate = there == people.length || (there > 0 && kind < DELETES + UPDATES);
    int person = isUpdate ? people[random.nextInt(there)] : people[there++];
    Event before =
        isUpdate && guarded ? new Event(person, person(person), sequences[person]) : null;
    if (isUpdate && random.nextBoolean()) {
      moves[person]++;
    }
    return insertOrUpdate(person, before, output);
  }

  private int insertOrUpdate(int person, Event before, Output output) {
    changes[person]++;
    sequences[person] = ++sequence;
    return put(new Event(person, person(person), sequence), before, output);
  }

  private int put(Event event, Event before, Output output) {
    output.event(event);
    if (!guarded) {
      return 1;
    }
    double fault = random.nextDouble();
    if (fault < DUPLICATES) {
      output.event(event);
      return 2;
    }
    if (before != null && fault < DUPLICATES + LATE) {
      output.event(before);
      return 2;
    }
    return 1;
  }

  /** Names everybody who is there. */
  void forEach(IntConsumer visitor) {
    for (int i = 0; i < there; i++) {
      visitor.accept(people[i]);
    }
  }

  /** A person in the present state. */
  GenericRecord person(int number) {
    return People.person(number, changes[number], moves[number], tags);
  }
}
