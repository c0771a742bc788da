package io.indexview.schemas.control;

import java.util.Objects;
import org.apache.avro.generic.GenericRecord;

/**
 * What a verification is asked to do.
 *
 * @param limits of what it reads from the target
 * @param samplePercent share of the rows that are compared, above 0; {@value #ALL}: all
 * @param withSource whether it has the sources scan everything first, and waits until what they
 *     found is derived
 * @param repair whether wrong rows are to be written anew
 * @param removeUnexpected whether a repair also removes what lies among the rows and is none of
 *     them
 */
public record VerificationOptions(
    Limits limits,
    double samplePercent,
    boolean withSource,
    boolean repair,
    boolean removeUnexpected) {
  public static final double ALL = 100;

  /** Compares all rows without a limit, and repairs none. */
  public static final VerificationOptions DEFAULT =
      new VerificationOptions(Limits.NONE, ALL, false, false, false);

  /**
   * @throws IllegalArgumentException if a value is out of its range, or a sample is to be repaired
   */
  public VerificationOptions {
    Objects.requireNonNull(limits, "limits");
    if (!(samplePercent > 0 && samplePercent <= ALL)) {
      throw new IllegalArgumentException(
          "samplePercent %s is not above 0 and at most 100".formatted(samplePercent));
    }
    if (repair && samplePercent < ALL) {
      throw new IllegalArgumentException("a repair compares all rows: leave the sample out");
    }
    if (removeUnexpected && !repair) {
      throw new IllegalArgumentException("only a repair removes what is unexpected");
    }
  }

  /**
   * How much is read from the target within a second at most; 0: no limit.
   *
   * @param rows read singly or by scans
   * @param bytes of keys and values, as the target holds them
   * @param readUnits of DynamoDB
   */
  public record Limits(int rows, long bytes, int readUnits) {
    public static final Limits NONE = new Limits(0, 0, 0);

    /**
     * @throws IllegalArgumentException if one is negative
     */
    public Limits {
      if (rows < 0 || bytes < 0 || readUnits < 0) {
        throw new IllegalArgumentException(
            "rows %d, bytes %d, readUnits %d: a limit is negative"
                .formatted(rows, bytes, readUnits));
      }
    }
  }

  /** Whether every row is compared. */
  public boolean isOfAllRows() {
    return samplePercent == ALL;
  }

  static VerificationOptions of(GenericRecord record) {
    return new VerificationOptions(
        new Limits(
            (Integer) record.get("rowsPerSecond"),
            (Long) record.get("bytesPerSecond"),
            (Integer) record.get("readUnitsPerSecond")),
        (Double) record.get("samplePercent"),
        (Boolean) record.get("withSource"),
        (Boolean) record.get("repair"),
        (Boolean) record.get("removeUnexpected"));
  }

  void writeTo(GenericRecord record) {
    record.put("rowsPerSecond", limits.rows);
    record.put("bytesPerSecond", limits.bytes);
    record.put("readUnitsPerSecond", limits.readUnits);
    record.put("samplePercent", samplePercent);
    record.put("withSource", withSource);
    record.put("repair", repair);
    record.put("removeUnexpected", removeUnexpected);
  }
}
