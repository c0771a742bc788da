package io.indexview.connect.common.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.sink.CommittableOffsets;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.UnexpectedRemoval;
import io.indexview.views.layout.ViewMetadata;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class InstallationFenceTest {
  private static final ViewGeneration UNKNOWN =
      ViewStates.generation("v", "key: [org]\ntarget: kv", 1);

  /** {@link ViewStates} has states of this uid. */
  private static final ViewGeneration OURS = UNKNOWN.withUid("uid-1");

  private static final ViewGeneration THEIRS = UNKNOWN.withUid("uid-2");
  private static final String TOPIC = OURS.viewTopic();

  private final InMemoryMetadata metadata = new InMemoryMetadata();
  private final FakeSinkContext context = new FakeSinkContext();
  private final ManualClock clock = new ManualClock();
  private final StateRecords control = new StateRecords();
  private final CommittableOffsets offsets = new CommittableOffsets();
  private final InstallationFence fence = new InstallationFence(metadata, context, offsets, clock);
  private int reads;

  private void serve(ViewGeneration generation) {
    describe(generation, State.READY, Role.SERVING);
  }

  private void describe(ViewGeneration generation, State in, Role role) {
    ViewState state = ViewStates.state("v", 1, in, Map.of(generation, role));
    ViewMetadata ours = ViewMetadata.of(state);
    metadata.locations.put(
        "v",
        new ViewMetadata(
            ours.view(),
            generation.uid(),
            ours.version(),
            ours.changedAtMs(),
            ours.state(),
            ours.reason(),
            ours.recordSet(),
            ours.sinkGroup(),
            ours.generations(),
            ours.freshness()));
    metadata.before = () -> reads++;
  }

  private static SinkRecord row(ViewGeneration generation, int partition, long offset) {
    Schema key =
        SchemaBuilder.struct().parameter(ViewGeneration.PARAMETER, generation.toJson()).build();
    return new SinkRecord(generation.viewTopic(), partition, key, null, null, null, offset);
  }

  private static SinkRecord row(int partition, long offset) {
    return row(OURS, partition, offset);
  }

  private static SinkRecord at(int partition, SinkRecord command, long offset) {
    return new SinkRecord(
        command.topic(),
        partition,
        command.keySchema(),
        command.key(),
        command.valueSchema(),
        command.value(),
        offset,
        null,
        TimestampType.NO_TIMESTAMP_TYPE);
  }

  private SinkRecord end(int partition, long offset) {
    return at(partition, control.command("end-rows", TOPIC, "", 0), offset);
  }

  private static TopicPartition partition(int number) {
    return new TopicPartition(TOPIC, number);
  }

  private Map<TopicPartition, OffsetAndMetadata> committable(int partition, long consumed) {
    return fence.committable(Map.of(partition(partition), new OffsetAndMetadata(consumed)));
  }

  @Test
  void holdsNoRowsOfAGenerationThatDoesNotSayOfWhichInstallationItIs() {
    serve(THEIRS);

    SinkRecord row = row(UNKNOWN, 0, 0);

    assertThat(fence.admit(List.of(row))).containsExactly(row);
    assertThat(fence.keeps(UNKNOWN)).isFalse();
  }

  @Test
  void admitsStatesAndUnknownCommands() {
    SinkRecord state = control.of(ViewStates.state("v", 1, State.BUILDING, Map.of()));
    SinkRecord newer = control.command("compress", TOPIC, OURS.toJson(), 1);

    assertThat(fence.admit(List.of(state, newer))).containsExactly(state, newer);
  }

  @Test
  void commitsNothingOfWhatIsHeldAndReadsItAgainInEachPartition() {
    serve(THEIRS);
    assertThat(fence.admit(List.of(row(0, 3), row(1, 7), row(0, 4)))).isEmpty();
    assertThat(committable(0, 5)).containsEntry(partition(0), new OffsetAndMetadata(3));
    assertThat(committable(0, 2)).containsEntry(partition(0), new OffsetAndMetadata(2));
    metadata.locations.clear();
    clock.pass(InstallationFence.HELD);

    assertThat(fence.admit(List.of(row(1, 8)))).as("comes before what is read again").isEmpty();
    assertThat(context.rewound()).isEmpty();
    fence.goOn();

    assertThat(context.rewound()).isEqualTo(Map.of(partition(0), 3L, partition(1), 7L));
    assertThat(committable(1, 9)).containsEntry(partition(1), new OffsetAndMetadata(7));
    SinkRecord again = row(1, 7);
    assertThat(fence.admit(List.of(again))).containsExactly(again);
    assertThat(committable(1, 8)).containsEntry(partition(1), new OffsetAndMetadata(8));
  }

  @Test
  void holdsAViewThatAnotherInstallationCameBefore() {
    assertThat(fence.admit(List.of(row(0, 0)))).hasSize(1);
    serve(THEIRS);
    assertThat(fence.admit(List.of(row(0, 1)))).as("not asked for each row").hasSize(1);
    clock.pass(InstallationFence.UNDESCRIBED);

    assertThat(fence.admit(List.of(row(0, 2)))).isEmpty();
    assertThat(committable(0, 3)).containsEntry(partition(0), new OffsetAndMetadata(2));
  }

  /** As when it was removed, and another installation came first. */
  @Test
  void asksAgainWhetherMetadataIsItsOwn() {
    serve(OURS);
    fence.admit(List.of(row(0, 0)));
    fence.admit(List.of(row(0, 1)));
    assertThat(reads).as("not for each batch").isEqualTo(1);
    serve(THEIRS);

    fence.forget(List.of(partition(1)));
    assertThat(fence.admit(List.of(row(0, 2)))).as("partitions are given anew").isEmpty();

    serve(OURS);
    clock.pass(InstallationFence.HELD);
    fence.admit(List.of());
    fence.goOn();
    assertThat(fence.admit(List.of(row(0, 2)))).hasSize(1);
    serve(THEIRS);
    clock.pass(InstallationFence.OWN);
    assertThat(fence.admit(List.of(row(0, 3)))).isEmpty();
  }

  /** As when two come at one moment, and the one that has not claimed the rows gives way. */
  @Test
  void asksSoonAgainWhetherWhatIsBuiltIsStillThere() {
    describe(OURS, State.BUILDING, Role.BUILDING);
    assertThat(fence.admit(List.of(row(0, 0)))).hasSize(1);
    serve(THEIRS);
    clock.pass(InstallationFence.UNDESCRIBED);

    assertThat(fence.admit(List.of(row(0, 1)))).isEmpty();
  }

  /** The rows of both lie in one place. */
  @Test
  void holdsRowsWhileAnotherViewHasThePlace() {
    ViewGeneration ours = hashed("v");
    ViewGeneration other = hashed("w");
    for (State state : List.of(State.READY, State.DELETING)) {
      metadata.locations.put(
          ours.baseName(),
          ViewMetadata.of(ViewStates.state("w", 3, state, Map.of(other, Role.SERVING))));
      assertThat(fence.admit(List.of(row(ours, 0, 3)))).isEmpty();
      assertThat(fence.keeps(ours)).isTrue();
      clock.pass(InstallationFence.HELD);
    }
    metadata.locations.put(
        ours.baseName(), ViewMetadata.of(ViewStates.state("w", 4, State.DELETING, Map.of())));

    assertThat(fence.keeps(ours)).isFalse();
    fence.admit(List.of());
    fence.goOn();

    SinkRecord again = row(ours, 0, 3);
    assertThat(fence.admit(List.of(again))).containsExactly(again);
  }

  private static ViewGeneration hashed(String view) {
    return ViewStates.generation(view, "key: [org]\nnaming: hash\ntarget: kv", 1).withUid("uid-1");
  }

  @Test
  void keepsHeldRowsWhenOtherPartitionsAreRevoked() {
    serve(THEIRS);
    fence.admit(List.of(row(0, 3), row(1, 7)));

    fence.forget(List.of(partition(0)));
    assertThat(committable(0, 5)).containsEntry(partition(0), new OffsetAndMetadata(5));
    assertThat(committable(1, 8)).containsEntry(partition(1), new OffsetAndMetadata(7));
    metadata.locations.clear();
    clock.pass(InstallationFence.HELD);
    fence.admit(List.of());
    fence.goOn();
    assertThat(context.rewound()).isEqualTo(Map.of(partition(1), 7L));
  }

  @Test
  void givesUpWhatIsHeldAtTheEndOfAPartition() {
    serve(THEIRS);
    SinkRecord removal = at(0, control.removeRows(OURS, 0), 5);

    assertThat(fence.admit(List.of(row(0, 3), row(1, 7), row(2, 1), end(0, 4), end(1, 8))))
        .isEmpty();
    assertThat(fence.admit(List.of(removal))).containsExactly(removal);

    assertThat(committable(0, 6)).containsEntry(partition(0), new OffsetAndMetadata(6));
    assertThat(committable(1, 9)).containsEntry(partition(1), new OffsetAndMetadata(9));
    assertThat(committable(2, 2)).containsEntry(partition(2), new OffsetAndMetadata(1));
    assertThat(fence.keeps(OURS)).isTrue();
    metadata.locations.clear();
    assertThat(fence.keeps(OURS)).isFalse();
  }

  @Test
  void removesNothingThatLiesAmongTheRowsOfAnotherInstallation() {
    serve(THEIRS);
    UnexpectedRemoval removal =
        new UnexpectedRemoval(
            OURS, List.of(new UnexpectedRow("/v/-/x", UnexpectedRow.digest(new byte[] {1}))));
    SinkRecord command = control.command(UnexpectedRemoval.COMMAND, TOPIC, removal.toJson(), 3);

    assertThat(fence.admit(List.of(command))).isEmpty();
    assertThat(committable(0, 4)).containsEntry(partition(0), new OffsetAndMetadata(3));
  }

  @Test
  void takesNothingWhileTheTargetDoesNotAnswer() {
    serve(THEIRS);
    metadata.before =
        () -> {
          throw new IllegalStateException("away");
        };

    assertThatThrownBy(() -> fence.admit(List.of(row(0, 3)))).hasMessage("away");

    assertThat(committable(0, 3)).containsEntry(partition(0), new OffsetAndMetadata(3));
  }
}
