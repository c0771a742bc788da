package io.indexview.server.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * A verification in an answer.
 *
 * @param rowsPerSecond null: no limit, as of bytes and read units
 * @param samplePercent share of the rows that are compared; null: all
 * @param repair whether wrong rows are written anew
 * @param removeUnexpected whether what is none of the rows is removed
 * @param startedAt null: not started
 * @param endedAt null: not over
 * @param generation null: not known yet
 * @param visibleBefore every change in the sources before was in what was derived when it began;
 *     null: not known
 * @param step what it is at, or why it failed; null: nothing to say
 * @param sources what the sources did when they were asked to scan; null: they were not
 * @param notLookedFor what may belong to no view and was not looked for; null: it looked for all,
 *     or is not done
 * @param cases the first ones of each kind; null: in a list
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VerificationAnswer(
    String view,
    String id,
    String status,
    Integer rowsPerSecond,
    Long bytesPerSecond,
    Integer readUnitsPerSecond,
    Double samplePercent,
    boolean withSource,
    boolean repair,
    boolean removeUnexpected,
    Instant requestedAt,
    Instant startedAt,
    Instant endedAt,
    Integer generation,
    Instant visibleBefore,
    String step,
    Counts counts,
    List<Source> sources,
    List<NotLookedFor> notLookedFor,
    List<Wrong> cases) {

  /** All of a view, the newest first. */
  public record Verifications(List<VerificationAnswer> verifications) {}

  /**
   * Rows.
   *
   * @param wrong missing, extra and different ones together, as they were found
   * @param expiredTombstones of the tombstones, those that should have been removed
   * @param removedTombstones of the expired ones, those that are removed since
   * @param repaired of the wrong ones, those that are right since
   * @param orphaned names and metadata that belong to no view, in the places of all; null: not
   *     looked for
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Counts(
      long scanned,
      long right,
      long wrong,
      long missing,
      long extra,
      long different,
      Unexpected unexpected,
      long tombstones,
      long expiredTombstones,
      long removedTombstones,
      long unjudged,
      long repaired,
      Long orphaned) {
    static Counts of(ViewVerification verification) {
      ViewVerification.Counts counts = verification.run().counts();
      return new Counts(
          counts.scanned(),
          counts.right(),
          counts.wrong(),
          counts.missing(),
          counts.extra(),
          counts.different(),
          new Unexpected(
              counts.unexpected().total(),
              counts.unexpected().undecodable(),
              counts.unexpected().otherGeneration(),
              counts.unexpected().unversioned(),
              counts.unexpected().removed()),
          counts.tombstones().total(),
          counts.tombstones().expired(),
          counts.tombstones().removed(),
          counts.unjudged(),
          counts.repaired(),
          boxed(verification.orphaned()));
    }
  }

  /** What is no row of the generation. */
  public record Unexpected(
      long total, long undecodable, long otherGeneration, long unversioned, long removed) {}

  /**
   * What a source did when it was asked to scan.
   *
   * @param name null: nobody speaks for the records
   * @param scan its number, null as what follows: it made none
   * @param refused why; null: it did
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Source(
      String name,
      String sourcePartition,
      Long scan,
      Instant startedAt,
      Instant endedAt,
      Long records,
      String refused) {
    static Source of(SourceScan scan) {
      boolean isMade = scan.refused().isEmpty();
      return new Source(
          scan.source().isEmpty() ? null : scan.source(),
          scan.sourcePartition().isEmpty() ? null : scan.sourcePartition(),
          isMade ? scan.number() : null,
          instant(scan.startedAtMs()),
          instant(scan.endedAtMs()),
          isMade ? scan.records() : null,
          isMade ? null : scan.refused());
    }
  }

  /** What may belong to no view and was not looked for, and why. */
  public record NotLookedFor(String kind, String reason) {
    static NotLookedFor of(ViewVerification.NotLookedFor one) {
      return new NotLookedFor(one.kind().text(), one.reason());
    }
  }

  /**
   * A row that is wrong.
   *
   * @param primaryKey null: not known
   * @param expectedRevision null: none
   * @param actualRevision null: none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Wrong(
      String kind,
      String key,
      String primaryKey,
      Long expectedRevision,
      Long actualRevision,
      String cause,
      boolean repaired) {
    static Wrong of(Case one) {
      return new Wrong(
          one.kind().text(),
          one.key(),
          one.primaryKey().isEmpty() ? null : one.primaryKey(),
          boxed(one.expectedRevision()),
          boxed(one.actualRevision()),
          one.cause(),
          one.repaired());
    }
  }

  /** Answer with the cases of the verification. */
  static VerificationAnswer of(ViewVerification verification) {
    return of(verification, verification.run().cases().stream().map(Wrong::of).toList());
  }

  /** Answer without the cases of the verification. */
  static VerificationAnswer brief(ViewVerification verification) {
    return of(verification, null);
  }

  private static VerificationAnswer of(ViewVerification verification, List<Wrong> cases) {
    Run run = verification.run();
    Limits limits = verification.options().limits();
    return new VerificationAnswer(
        verification.view(),
        verification.id(),
        verification.status().text(),
        limits.rows() == 0 ? null : limits.rows(),
        limits.bytes() == 0 ? null : limits.bytes(),
        limits.readUnits() == 0 ? null : limits.readUnits(),
        verification.options().isOfAllRows() ? null : verification.options().samplePercent(),
        verification.options().withSource(),
        verification.options().repair(),
        verification.options().removeUnexpected(),
        Instant.ofEpochMilli(verification.requestedAtMs()),
        instant(run.startedAtMs()),
        instant(run.endedAtMs()),
        run.generation() == 0 ? null : run.generation(),
        instant(run.visibleBeforeMs()),
        run.step().isEmpty() ? null : run.step(),
        Counts.of(verification),
        run.sources().isEmpty() ? null : run.sources().stream().map(Source::of).toList(),
        run.notLookedFor().isEmpty()
            ? null
            : run.notLookedFor().stream().map(NotLookedFor::of).toList(),
        cases);
  }

  private static Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private static Instant instant(long ms) {
    return ms == 0 ? null : Instant.ofEpochMilli(ms);
  }
}
