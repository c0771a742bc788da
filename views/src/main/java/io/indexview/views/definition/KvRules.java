package io.indexview.views.definition;

import io.indexview.views.definition.ViewValidator.Findings;
import java.util.regex.Pattern;

/** What the KV layout can honour. */
final class KvRules {
  private static final Pattern PREFIX = Pattern.compile(Target.Kv.PREFIX_PATTERN);

  /** Each change of one writes the whole record anew. */
  private static final int MAX_ELEMENTS = 10_000;

  private final ViewDefinition definition;
  private final Target.Kv target;
  private final Findings findings;

  KvRules(ViewDefinition definition, Target.Kv target, Findings findings) {
    this.definition = definition;
    this.target = target;
    this.findings = findings;
  }

  void check() {
    if (definition.kind() == ViewDefinition.Kind.DOCUMENT) {
      findings.add(
          "kind", "document", "target kv keeps no documents; use kind: index or target: dynamodb");
    }
    checkPrefix("prefix", target.prefix());
    checkPrefix("metaPrefix", target.metaPrefix());
    if (target.prefix().equals(target.metaPrefix())) {
      findings.add("metaPrefix", target.metaPrefix(), "is the prefix of the rows; use another");
    }
    if (target.prefix().equals(target.metaPrefix() + Target.Kv.HISTORY_SUFFIX)) {
      findings.add("prefix", target.prefix(), "belongs to the metadata; use another");
    }
    if (target.metaPrefix().equals(target.prefix() + Target.Kv.OWNER_SUFFIX)) {
      findings.add("metaPrefix", target.metaPrefix(), "belongs to the rows; use another");
    }
    if (target.layout() == Target.KvRows.KEY_ONLY) {
      checkKeyOnly();
    }
    if (target.maxElements() < 1 || target.maxElements() > MAX_ELEMENTS) {
      findings.add(
          "maxElements",
          target.maxElements(),
          "out of range; use 1 to %d, and layout: key-value for more".formatted(MAX_ELEMENTS));
    }
  }

  /** What a sink in mode conditional cannot honour. */
  static void checkFenced(Target.Kv target, Findings findings) {
    if (target.layout() == Target.KvRows.KEY_ONLY) {
      findings.add(
          "layout",
          DefinitionReader.word(target.layout()),
          "holds no revision, which the sink of target kv compares in its mode conditional; use"
              + " layout: key-value, or a sink of mode overwrite (target.kv.sink.mode)");
    }
  }

  private void checkKeyOnly() {
    if (target.primaryKeyForm() != Target.PrimaryKeyForm.PATH) {
      findings.add(
          "primaryKeyForm",
          DefinitionReader.word(target.primaryKeyForm()),
          "key-only rows hold the primary key in their key; use layout: key-value or remove it");
    }
    if (definition.include() != null && !definition.include().isEmpty()) {
      findings.add(
          "include",
          definition.include(),
          "key-only rows hold no fields beside the key; use layout: key-value or remove include");
    }
  }

  private void checkPrefix(String property, String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      findings.add(property, prefix, "use " + Target.Kv.PREFIX_RULE);
    }
  }
}
