package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.control.ViewVerification.Unexpected;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ViewVerificationTest {
  @Test
  void isTheSameAfterItWasWrittenAndRead() {
    VerificationOptions options =
        new VerificationOptions(new Limits(10, 20, 30), 0.5, true, false, false);
    ViewVerification asked =
        new ViewVerification(
            "by-org", "20260102T030405-0a1b", Status.REQUESTED, options, 1, Run.NONE);
    Case one =
        new Case(
            Kind.EXTRA, "/a/-/b", "/p", OptionalLong.empty(), OptionalLong.of(7), "planted", true);
    ViewVerification done =
        asked.with(
            Status.DONE,
            new Run(
                "w",
                2,
                3,
                4,
                5,
                12,
                "step",
                new Counts(
                    1,
                    2,
                    3,
                    4,
                    5,
                    new Unexpected(6, 10, 11, 12),
                    new Tombstones(7, 13, 17),
                    8,
                    9,
                    18),
                List.of(one),
                List.of(
                    new SourceScan("kv", "people", 3, 14, 15, 16, ""),
                    SourceScan.refused("s3", "queue", "lists once")),
                List.of(new NotLookedFor(Kind.ORPHANED_ROWS, "tables are not listed"))));

    assertThat(ViewVerification.of(asked.toAvro())).isEqualTo(asked);
    assertThat(ViewVerification.of(done.toAvro())).isEqualTo(done);
    assertThat(done.run().counts().wrong()).isEqualTo(3 + 4 + 5);
    assertThat(done.run().counts().left()).isEqualTo(3 + 4 + 5 - 9);
  }

  /** Zero would be a lie. */
  @Test
  void countsWhatIsOfNoViewOnlyWhereItWasLookedFor() {
    assertThat(orphaned(Status.DONE, List.of())).hasValue(3);
    assertThat(
            orphaned(
                Status.DONE,
                List.of(new NotLookedFor(Kind.ORPHANED_ROWS, "tables are not listed"))))
        .hasValue(3);
    assertThat(orphaned(Status.DONE, NotLookedFor.all("no quorum"))).isEmpty();
    for (Status status : List.of(Status.RUNNING, Status.FAILED, Status.CANCELLED)) {
      assertThat(orphaned(status, List.of())).as(status.text()).isEmpty();
    }
  }

  private static OptionalLong orphaned(Status status, List<NotLookedFor> notLookedFor) {
    Counts counts = new Counts(9, 9, 0, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 0, 3);
    Run run = new Run("w", 1, 2, 3, 4, 5, "", counts, List.of(), List.of(), notLookedFor);
    return new ViewVerification("by-org", "id", status, VerificationOptions.DEFAULT, 1, run)
        .orphaned();
  }

  @Test
  void tellsKindsAsText() {
    for (Kind kind : Kind.values()) {
      assertThat(Kind.ofText(kind.text())).isEqualTo(kind);
    }
    assertThat(Kind.OTHER_GENERATION.text()).isEqualTo("other-generation");
    assertThat(new Unexpected(1, 2, 4, 0).total()).isEqualTo(7);
  }

  @Test
  void refusesWhatItCannotDo() {
    for (double percent : new double[] {0, -1, 100.1, Double.NaN}) {
      assertThatThrownBy(() -> new VerificationOptions(Limits.NONE, percent, false, false, false))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("samplePercent");
    }
    assertThatThrownBy(() -> new VerificationOptions(Limits.NONE, 5, false, true, false))
        .hasMessageContaining("repair");
    assertThatThrownBy(() -> new VerificationOptions(Limits.NONE, 100, false, false, true))
        .hasMessageContaining("unexpected");
    assertThatThrownBy(() -> new Limits(0, -1, 0)).hasMessageContaining("bytes -1");
  }
}
