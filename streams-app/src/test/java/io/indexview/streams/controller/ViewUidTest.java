package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** By the uid of a view, sinks tell it from one of the name in another installation. */
class ViewUidTest {
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  private final Map<String, GenericRecord> remembered = new HashMap<>();

  /** What a controller that begins anew says of the view in its first state. */
  private String uidOf(long version) {
    ControllerMemory memory = new ControllerMemory();
    remembered.values().forEach(memory::add);
    Reconciler reconciler = new Reconciler(SETTINGS, memory.views(), memory.losses());
    String json = new ViewDefinitionParser().parse("test.yaml", People.BY_ORG).toJson();
    reconciler.apply(
        new ControlEvent.Desired(
            new ViewSpec("by-org", json, version, BuildRequest.FIRST, 1, Optional.empty())),
        version);
    Reconciler.Changes changes = reconciler.takeChanges();
    remembered.putAll(ControllerMemory.records(changes, new ControllerMemory.Read("id", 0)));
    return ((ControlRecord.State) changes.records.get(0)).state().uid();
  }

  @Test
  void uidStaysWithTheControllersMemory() {
    String uid = uidOf(1);

    assertThat(uid).isNotEmpty();
    assertThat(uidOf(2)).isEqualTo(uid);
  }

  /** Its metadata in the target has none either. */
  @Test
  void uidStaysEmptyWhereTheMemoryHasAFormWithoutOne() {
    uidOf(1);
    GenericRecord remembering = remembered.get("view|by-org");
    remembering.put("form", 1);
    ((GenericRecord) remembering.get("view")).put("uid", "");

    assertThat(uidOf(2)).isEmpty();
  }

  @Test
  void anotherInstallationGivesAnotherUid() {
    String uid = uidOf(1);
    remembered.clear();

    assertThat(uidOf(2)).isNotIn("", uid);
  }
}
