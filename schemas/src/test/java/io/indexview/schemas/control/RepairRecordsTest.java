package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewRepair.Repaired;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class RepairRecordsTest {
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  private GenericRecord onTopic(GenericRecord record) {
    byte[] bytes = new AvroSerializer<>(registry, false).serialize("control", record);
    return new AvroDeserializer(registry, record.getSchema()).deserialize("control", bytes);
  }

  @Test
  void aRepairComesBack() {
    ViewRepair repair =
        new ViewRepair(
            "by-org",
            3,
            "v1",
            "v1-a",
            7,
            4,
            List.of(
                new Repaired("a", 12, List.of(new byte[] {0, 1}, new byte[] {2})),
                new Repaired("b", 0, List.of())),
            List.of(new UnexpectedRow("/x", "00ff")));

    ViewRepair back = ViewRepair.of(onTopic(repair.toAvro()));

    assertThat(back).usingRecursiveComparison().isEqualTo(repair);
    assertThat(back.key()).isEqualTo("by-org|v1|7");
  }

  @Test
  void reportsComeBack() {
    RowsVerified verified = new RowsVerified("by-org", 3, "v1", 42, 1_000);
    RepairProgress progress = new RepairProgress("by-org", 3, 5, "v1-a", 7, 1_000);

    assertThat(RowsVerified.of(onTopic(verified.toAvro()))).contains(verified);
    assertThat(RepairProgress.of(onTopic(progress.toAvro()))).contains(progress);
    assertThat(RowsVerified.of(onTopic(progress.toAvro()))).isEmpty();
    assertThat(RepairProgress.of(onTopic(verified.toAvro()))).isEmpty();
    assertThat(PurgeProgress.of(onTopic(progress.toAvro()))).isEmpty();
  }
}
