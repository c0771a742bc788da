package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.control.ViewState;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two instances of the app, of which one dies or stands still while records change. What the other
 * one does meanwhile is exact, and what it was kept from comes back. Logs are in {@code
 * target/several-instances}.
 */
@Timeout(900)
@TestInstance(Lifecycle.PER_CLASS)
class SeveralInstancesIT {
  private InstancesShop app;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    app = InstancesShop.open(directory, Path.of("target", "several-instances"));
  }

  @AfterAll
  void stop() throws Exception {
    if (app != null) {
      app.close();
    }
  }

  private String other(String instance) {
    Set<String> others = new HashSet<>(app.instances().names());
    others.remove(instance);
    assertThat(others).hasSize(1);
    return others.iterator().next();
  }

  /** Of a new view, and of one that was changed: its rows of before are served meanwhile. */
  @Test
  void buildsViewsAlthoughTheInstanceThatBuildsThemIsKilled() throws Exception {
    String added = "orders-by-customer";
    try (KnownOrders.Writing writing = app.write()) {
      app.awaitTasksOf(app.instances().names());
      String killed = app.awaitController();
      String other = other(killed);
      // So the builds of its tasks cannot be over before the other one is killed.
      app.instances().suspend(other);
      long logged = app.instances().logSize(killed);
      app.changeByDay();
      app.add(added, "customer");
      app.instances()
          .awaitLogged(killed, "builds view " + InstancesShop.BY_DAY + " generation 2", logged);
      app.instances().awaitLogged(killed, "builds view " + added, logged);
      app.instances().kill(killed);
      assertThat(app.shop().admin().get(added).phase()).isEqualTo(ViewState.State.BUILDING);
      assertThat(app.shop().admin().get(InstancesShop.BY_DAY).phase())
          .isEqualTo(ViewState.State.READY);
      assertThat(app.shop().serving(InstancesShop.BY_DAY).number()).isEqualTo(1);
      app.instances().resume(other);

      app.instances().start(killed);
      app.shop().awaitReady(added, InstancesShop.TIMEOUT);
      await()
          .atMost(InstancesShop.TIMEOUT)
          .until(() -> app.shop().serving(InstancesShop.BY_DAY).number() == 2);
      app.awaitTasksOf(app.instances().names());
    }
    app.assertExact();
  }

  /** It has tasks and the lease of the controller, and does not know that it lost both. */
  @Test
  void goesOnWithoutAnInstanceThatStandsStillAndTakesItBack() throws Exception {
    try (KnownOrders.Writing writing = app.write()) {
      app.awaitTasksOf(app.instances().names());
      String still = app.awaitController();
      String other = other(still);
      app.instances().suspend(still);
      app.awaitTasksOf(Set.of(other));
      app.awaitTakenSoFar();
      await().atMost(InstancesShop.TIMEOUT).until(() -> app.awaitController().equals(other));

      app.instances().resume(still);
      app.awaitTasksOf(app.instances().names());
      app.instances().awaitReady(still);
      app.awaitTakenSoFar();
    }
    app.assertExact();
  }
}
