package io.indexview.views.definition;

import java.util.Set;

/** Field and attribute names that rows use themselves. */
final class ReservedNames {
  private static final Set<String> EVERYWHERE =
      Set.of(ViewFields.PRIMARY_KEY, ViewFields.REVISION, "_deleted");
  private static final Set<String> DYNAMODB =
      Set.of(
          ViewFields.PRIMARY_KEY,
          ViewFields.REVISION,
          "_deleted",
          "_expiresAt",
          "_pk",
          "_sk",
          "version",
          "gen");

  private ReservedNames() {}

  static Set<String> of(Target target) {
    return target instanceof Target.DynamoDb ? DYNAMODB : EVERYWHERE;
  }
}
