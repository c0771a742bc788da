package io.indexview.client.admin;

import static io.indexview.client.admin.ControlPlane.standing;

import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Views on the record set people, by an admin on a control plane in memory. */
abstract class ViewAdminScenario {
  static final OptionalLong ANY = OptionalLong.empty();
  static final String BY_ORG =
      """
      name: by-org
      source: people
      key: [org]
      target: kv
      """;
  static final String BY_ORG_AND_NAME = BY_ORG.replace("[org]", "[org, name]");

  final ControlPlane plane = new ControlPlane().withPeople();
  ViewAdmin admin;

  @BeforeEach
  void connect() {
    admin = admin(plane);
  }

  /** An admin to test; one that scans of no target if nothing else is said. */
  ViewAdmin admin(ControlPlane controlled) {
    return controlled.admin();
  }

  @AfterEach
  void close() {
    admin.close();
  }

  final ViewSpec apply(String text) {
    return admin.apply("view.yaml", text, ANY).after().orElseThrow();
  }

  final ViewSpec applyAndServe(String text, int generation) {
    ViewSpec spec = apply(text);
    plane.generation(spec, generation);
    plane.state(spec.view(), State.READY, spec.version(), standing(generation, Role.SERVING));
    return spec;
  }
}
