package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.config.AppConfig;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ControllerFactoryTest {
  private static ControllerFactory factory(String instance) {
    AppConfig config =
        AppConfig.parse(
            Map.of(
                "bootstrap.servers", "127.0.0.1:9092",
                "schema.registry.url", "http://127.0.0.1:8081",
                "record.sets", "people",
                "state.dir", "state"));
    return new ControllerFactory(
        config, instance, null, null, null, null, null, null, Map.of(), Map.of());
  }

  private static List<Object> clientIds(ControllerFactory factory) {
    return Stream.of(factory.leaseSettings(), factory.readerSettings(), factory.writerSettings())
        .map(settings -> settings.get("client.id"))
        .toList();
  }

  @Test
  void namesTheClientsOfEachInstance() {
    assertThat(clientIds(factory("indexview-east")))
        .containsExactly(
            "indexview-east-controller-lease",
            "indexview-east-controller-reader",
            "indexview-east-controller-writer");
  }

  /** Who takes over the lease shuts out who had it. */
  @Test
  void sharesWhatFencesAndWhatIsLeased() {
    for (String instance : List.of("indexview-east", "indexview-west")) {
      assertThat(factory(instance).writerSettings())
          .containsEntry("transactional.id", "indexview-controller");
      assertThat(factory(instance).leaseSettings())
          .containsEntry("group.id", "indexview-controller");
    }
  }
}
