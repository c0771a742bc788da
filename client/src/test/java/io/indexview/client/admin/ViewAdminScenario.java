package io.indexview.client.admin;

import static io.indexview.client.admin.ControlPlane.standing;

import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.control.ViewWish;
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

  /** An admin to test; one that looks at no target if nothing else is said. */
  ViewAdmin admin(ControlPlane controlled) {
    return controlled.admin();
  }

  @AfterEach
  void close() {
    admin.close();
  }

  final ViewWish apply(String text) {
    return admin.apply("view.yaml", text, ANY).after().orElseThrow();
  }

  final ViewWish applyAndServe(String text, int generation) {
    ViewWish wish = apply(text);
    plane.generation(wish, generation);
    plane.state(wish.view(), State.READY, wish.version(), standing(generation, Role.SERVING));
    return wish;
  }
}
