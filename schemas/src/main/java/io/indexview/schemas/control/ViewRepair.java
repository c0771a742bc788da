package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Records of which the tasks are to write the rows of one generation anew, as {@code view-repairs}
 * holds them. To do it twice does no harm.
 *
 * @param verification that found the rows wrong
 * @param repair another one for each try of the verification
 * @param batch of the repair, from 0
 * @param partitions how many the record set has, each with its task; 0: not known
 * @param unexpected what the sink is to remove; one of the tasks tells it
 */
public record ViewRepair(
    String view,
    int generation,
    String verification,
    String repair,
    int batch,
    int partitions,
    List<Repaired> records,
    List<UnexpectedRow> unexpected) {
  private static final Schema RECORD =
      ControlSchemas.VIEW_REPAIR.getField("records").schema().getElementType();

  private static final Schema UNEXPECTED =
      ControlSchemas.VIEW_REPAIR.getField("unexpected").schema().getElementType();

  public ViewRepair {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(verification, "verification");
    Objects.requireNonNull(repair, "repair");
    records = List.copyOf(records);
    unexpected = List.copyOf(unexpected);
  }

  /**
   * A record.
   *
   * @param above its new revision is to be higher; 0: none of its rows was found
   * @param extraRows keys of rows in the wire format, to be deleted unless the record has them; not
   *     copied
   */
  public record Repaired(String primaryKey, long above, List<byte[]> extraRows) {
    public Repaired {
      Objects.requireNonNull(primaryKey, "primaryKey");
      extraRows = List.copyOf(extraRows);
    }
  }

  /** Key on the topic. */
  public String key() {
    return prefix(view) + verification + "|" + batch;
  }

  /** What the keys of all repairs of a view begin with. */
  public static String prefix(String view) {
    return view + "|";
  }

  public static ViewRepair of(GenericRecord record) {
    List<Repaired> records = new ArrayList<>();
    for (Object one : (List<?>) record.get("records")) {
      GenericRecord repaired = (GenericRecord) one;
      List<byte[]> rows = new ArrayList<>();
      for (Object row : (List<?>) repaired.get("extraRows")) {
        ByteBuffer buffer = ((ByteBuffer) row).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        rows.add(bytes);
      }
      records.add(
          new Repaired(repaired.get("primaryKey").toString(), (Long) repaired.get("above"), rows));
    }
    return new ViewRepair(
        record.get("view").toString(),
        (Integer) record.get("generation"),
        record.get("verification").toString(),
        record.get("repair").toString(),
        (Integer) record.get("batch"),
        (Integer) record.get("partitions"),
        records,
        ((List<?>) record.get("unexpected"))
            .stream()
                .map(GenericRecord.class::cast)
                .map(
                    one ->
                        new UnexpectedRow(one.get("id").toString(), one.get("digest").toString()))
                .toList());
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_REPAIR);
    record.put("view", view);
    record.put("generation", generation);
    record.put("verification", verification);
    record.put("repair", repair);
    record.put("batch", batch);
    record.put("partitions", partitions);
    record.put("records", records.stream().map(ViewRepair::toAvro).toList());
    record.put("unexpected", unexpected.stream().map(ViewRepair::toAvro).toList());
    return record;
  }

  private static GenericRecord toAvro(UnexpectedRow one) {
    GenericRecord record = new GenericData.Record(UNEXPECTED);
    record.put("id", one.id());
    record.put("digest", one.digest());
    return record;
  }

  private static GenericRecord toAvro(Repaired one) {
    GenericRecord record = new GenericData.Record(RECORD);
    record.put("primaryKey", one.primaryKey());
    record.put("above", one.above());
    record.put("extraRows", one.extraRows().stream().map(ByteBuffer::wrap).toList());
    return record;
  }
}
