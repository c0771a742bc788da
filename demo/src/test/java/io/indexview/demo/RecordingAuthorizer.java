package io.indexview.demo;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Kafka's own authorizer, which remembers its answers; for the one broker of a test. */
public final class RecordingAuthorizer extends StandardAuthorizer {
  private static final Set<AclOperation> IMPLY_DESCRIBE =
      Set.of(AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER);

  private static final Set<Asked> ALLOWED = ConcurrentHashMap.newKeySet();
  private static final Set<Asked> DENIED = ConcurrentHashMap.newKeySet();

  /**
   * What somebody wants to do.
   *
   * @param principal as {@code User:app}
   */
  record Asked(String principal, AclOperation operation, ResourcePattern resource) {
    private boolean allowedBy(AclBinding acl) {
      ResourcePattern pattern = acl.pattern();
      AclOperation granted = acl.entry().operation();
      return principal.equals(acl.entry().principal())
          && resource.resourceType() == pattern.resourceType()
          && (pattern.patternType() == PatternType.PREFIXED
              ? resource.name().startsWith(pattern.name())
              : resource.name().equals(pattern.name()))
          && (operation == granted
              || operation == AclOperation.DESCRIBE && IMPLY_DESCRIBE.contains(granted));
    }
  }

  /** What was not allowed; it is forgotten then. */
  static Set<Asked> takeDenied() {
    Set<Asked> denied = Set.copyOf(DENIED);
    DENIED.removeAll(denied);
    return denied;
  }

  /** Those of the ACLs without which all that was allowed would have been allowed, too. */
  static List<AclBinding> unneeded(Collection<AclBinding> acls) {
    return acls.stream()
        .filter(
            acl ->
                ALLOWED.stream()
                    .filter(asked -> asked.allowedBy(acl))
                    .allMatch(
                        asked ->
                            acls.stream()
                                .anyMatch(other -> !other.equals(acl) && asked.allowedBy(other))))
        .toList();
  }

  @Override
  public List<AuthorizationResult> authorize(
      AuthorizableRequestContext context, List<Action> actions) {
    List<AuthorizationResult> results = super.authorize(context, actions);
    for (int i = 0; i < actions.size(); i++) {
      Action action = actions.get(i);
      Asked asked =
          new Asked(context.principal().toString(), action.operation(), action.resourcePattern());
      // Who lists all topics is shown those that are allowed, and needs none of them.
      if (action.logIfDenied()) {
        (results.get(i) == AuthorizationResult.ALLOWED ? ALLOWED : DENIED).add(asked);
      }
    }
    return results;
  }
}
