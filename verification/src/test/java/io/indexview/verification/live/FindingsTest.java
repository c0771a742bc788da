package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.RowContent;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FindingsTest {
  private static final Optional<RowImage> ROW =
      Optional.of(RowImage.of(new RowContent("/lost", "1", OptionalLong.of(7), new byte[] {1})));

  /** Garbage that was written over a row is told with the row that is missing there. */
  @Test
  void namesWhatLiesInThePlaceOfAMissingRow() {
    Findings findings = new Findings();
    findings.unexpected("/overwritten", Kind.UNDECODABLE, "no Avro");
    findings.expiredTombstone("/deleted", "of a year ago");

    findings.wrong("/overwritten", ROW, Optional.empty());
    findings.wrong("/deleted", ROW, Optional.empty());
    findings.wrong("/lost", ROW, Optional.empty());

    assertThat(findings.cases())
        .filteredOn(one -> one.kind() == Kind.MISSING)
        .extracting(Case::cause)
        .containsExactly(
            "something else lies in its place",
            "its last write was lost, or somebody else deleted it",
            "its last write was lost, or somebody else deleted it");
  }
}
