package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Instances of the app come, go, and get another configuration one after the other while records
 * change; the views are exact. Logs are in {@code target/instance-changes}.
 */
@ExhaustiveTier
@Timeout(1_800)
@TestInstance(Lifecycle.PER_CLASS)
class InstanceChangesIT {
  private static final String INVOICES_BY_CUSTOMER = "invoices-by-customer";

  private Path directory;
  private InstancesShop app;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    directory = temporary;
    app = InstancesShop.open(directory, Path.of("target", "instance-changes"));
  }

  @AfterAll
  void stop() throws Exception {
    if (app != null) {
      app.close();
    }
  }

  @Test
  void goesOnWithoutAnInstanceThatStandsStillAndHasTasksOnly() throws Exception {
    try (KnownOrders.Writing writing = app.write()) {
      app.awaitTasksOf(app.instances().names());
      String controller = app.awaitController();
      Set<String> others = new HashSet<>(app.instances().names());
      others.remove(controller);
      String still = others.iterator().next();

      app.instances().suspend(still);
      app.awaitTasksOf(Set.of(controller));
      app.awaitTakenSoFar();
      app.instances().resume(still);
      app.awaitTasksOf(app.instances().names());
      app.instances().awaitReady(still);
      app.awaitTakenSoFar();
    }
    app.assertExact();
  }

  @Test
  void goesOnWhileOneInstanceLeavesAndAnotherOneComes() throws Exception {
    try (KnownOrders.Writing writing = app.write()) {
      app.awaitTasksOf(app.instances().names());
      String leaving = app.awaitController();
      app.instances().begin("newcomer");
      app.instances().stop(leaving);
      app.instances().awaitReady("newcomer");
      app.awaitTasksOf(app.instances().names());
      assertThat(app.instances().names()).contains("newcomer").hasSize(2);
      app.awaitTakenSoFar();
    }
    app.assertExact();
  }

  @ParameterizedTest
  @EnumSource(names = {"CHANGELOG", "REPLAY"})
  void buildsAnewOnSeveralInstances(BuildMode mode) throws Exception {
    int before = app.shop().serving(InstancesShop.BY_DAY).number();
    try (KnownOrders.Writing writing = app.write()) {
      app.awaitTasksOf(app.instances().names());
      ViewSpec spec = app.shop().admin().rebuild(InstancesShop.BY_DAY, mode, OptionalLong.empty());
      app.shop()
          .admin()
          .awaitReady(
              InstancesShop.BY_DAY,
              OptionalLong.of(spec.version()),
              InstancesShop.TIMEOUT,
              status -> assertThat(status.phase()).isEqualTo(ViewState.State.READY));
      app.awaitTasksOf(app.instances().names());
    }
    app.assertExact();
    assertThat(app.shop().serving(InstancesShop.BY_DAY).number()).isEqualTo(before + 1);
  }

  @Test
  void takesARecordSetThatOneInstanceAfterTheOtherLearnsOf() throws Exception {
    long since = System.currentTimeMillis();
    try (KnownOrders.Writing writing = app.write()) {
      app.awaitTasksOf(app.instances().names());
      app.instances().settings().putAll(Invoices.in(app.instances().settings(), directory));
      List<String> names = new ArrayList<>(app.instances().names());
      for (String name : names) {
        app.instances().stop(name);
        app.awaitTakenSoFar();
        app.instances().start(name);
        app.awaitTasksOf(Set.copyOf(names));
        app.awaitTakenSoFar();
      }
    }
    app.assertExact();
    assertThat(app.statesSince(since))
        .extracting(ViewState::state)
        .containsOnly(ViewState.State.READY);

    Invoices invoices = app.shop().keep(new Invoices(app.shop()));
    invoices.publish(0, 50);
    app.shop()
        .admin()
        .apply(
            Invoices.NAME,
            """
            {"name": "%s", "source": "%s", "key": ["customer"], "target": "kv", "layout": "key-value"}
            """
                .formatted(INVOICES_BY_CUSTOMER, Invoices.NAME),
            OptionalLong.empty());
    app.shop().awaitReady(INVOICES_BY_CUSTOMER, InstancesShop.TIMEOUT);
    app.assertExact();
    assertThat(invoices.verify(INVOICES_BY_CUSTOMER).exact()).isTrue();
  }
}
