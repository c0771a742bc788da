package io.indexview.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ClassArrows;
import io.indexview.schemas.fixtures.ClassArrows.Arrow;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** As {@code ArrowsTest} of all other modules, before which nobody need build benchmarks. */
class PackageCyclesTest {
  @Test
  void packagesHaveNoCycles() throws Exception {
    Path classes =
        Path.of(IndexviewBench.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<Arrow> arrows = ClassArrows.of(classes, "io.indexview");

    assertThat(arrows)
        .extracting(Arrow::fromPackage)
        .contains("io.indexview.benchmarks", "io.indexview.benchmarks.app");
    assertThat(ClassArrows.packageCycles(arrows)).isEmpty();
  }
}
