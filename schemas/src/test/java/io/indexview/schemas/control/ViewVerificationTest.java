package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ViewVerificationTest {
  @Test
  void isTheSameAfterItWasWrittenAndRead() {
    ViewVerification asked =
        new ViewVerification(
            "by-org", "20260102T030405-0a1b", Status.REQUESTED, 10, true, 1, Run.NONE);
    Case one =
        new Case(
            Kind.EXTRA, "/a/-/b", "/p", OptionalLong.empty(), OptionalLong.of(7), "planted", true);
    ViewVerification done =
        asked.with(
            Status.DONE,
            new Run("w", 2, 3, 4, 5, "step", new Counts(1, 2, 3, 4, 5, 6, 7, 8, 9), List.of(one)));

    assertThat(ViewVerification.of(asked.toAvro())).isEqualTo(asked);
    assertThat(ViewVerification.of(done.toAvro())).isEqualTo(done);
    assertThat(done.run().counts().wrong()).isEqualTo(3 + 4 + 5);
    assertThat(done.run().counts().left()).isEqualTo(3 + 4 + 5 - 9);
  }
}
