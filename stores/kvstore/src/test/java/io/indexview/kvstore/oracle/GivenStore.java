package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreConfig;
import java.nio.file.Path;
import java.util.Optional;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The running store that system properties or environment variables name. Without one, both engines
 * skip the tests that need it.
 */
final class GivenStore implements ExecutionCondition, SkipExecutionHook {
  private static final String HELPERS = "INDEXVIEW_KV_HELPERS";
  private static final String STORE = "INDEXVIEW_KV_STORE";
  private static final String SECURITY_FILE = "INDEXVIEW_KV_SECURITY_FILE";
  private static final String MISSING =
      "no Oracle NoSQL store is given: set %s=host:port and %s=name to run the contract on one"
          .formatted(HELPERS, STORE);

  private static Optional<String> uri() {
    return setting(HELPERS).flatMap(h -> setting(STORE).map(s -> "oracle://" + h + "/" + s));
  }

  /** How to open it. */
  static KvStoreConfig config() {
    KvStoreConfig config = KvStoreConfig.of(uri().orElseThrow());
    return setting(SECURITY_FILE).map(Path::of).map(config::withSecurityFile).orElse(config);
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return uri()
        .map(ConditionEvaluationResult::enabled)
        .orElse(ConditionEvaluationResult.disabled(MISSING));
  }

  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    return uri().isPresent() ? SkipResult.doNotSkip() : SkipResult.skip(MISSING);
  }

  private static Optional<String> setting(String name) {
    return Optional.ofNullable(System.getProperty(name, System.getenv(name)))
        .filter(value -> !value.isBlank());
  }
}
