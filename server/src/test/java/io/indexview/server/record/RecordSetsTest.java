package io.indexview.server.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.PublishedValues;
import io.indexview.client.admin.ViewCatalog;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.server.problem.ProblemException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordSetsTest {
  private final List<RecordSetInfo> there = new ArrayList<>(List.of(recordSet("people")));
  private int asked;

  private final RecordSets recordSets =
      new RecordSets(
          (ViewCatalog)
              Proxy.newProxyInstance(
                  RecordSetsTest.class.getClassLoader(),
                  new Class<?>[] {ViewCatalog.class},
                  (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("recordSets");
                    asked++;
                    return List.copyOf(there);
                  }),
          new PublishedValues(List::of),
          new InMemorySchemaRegistry(),
          new RecordSets.Home(null, "1", Map.of()),
          (config, encoder) -> null);

  private static RecordSetInfo recordSet(String name) {
    return new RecordSetInfo(
        name,
        "changes." + name,
        4,
        "envelope",
        List.of(),
        "\"string\"",
        "indexview",
        Set.of(),
        Set.of(),
        0);
  }

  @Test
  void asksTheClusterOnceForManyRequests() {
    for (int i = 0; i < 100; i++) {
      assertThat(recordSets.topic("people")).isEqualTo("changes.people");
    }
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void findsARecordSetThatIsNewAtOnce() {
    recordSets.topic("people");
    there.add(recordSet("orders"));

    assertThat(recordSets.topic("orders")).isEqualTo("changes.orders");
  }

  @Test
  void asksAgainBeforeItSaysThatThereIsNone() {
    recordSets.topic("people");

    assertThatThrownBy(() -> recordSets.topic("orders"))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("there are [people]");
    assertThat(asked).isEqualTo(2);
  }
}
